-- /signal100 [frequency]: holds a channel for emergency traffic, or releases it. Without a
-- frequency it is the channel that the player is on. server.cfg says who may do that:
--
--     add_ace group.supervisor command.signal100 allow

local radio = exports.radio

-- channelOf is the channel that a user is tuned to.
local function channelOf(id)
    for _, channel in ipairs(radio:getAllChannels() or {}) do
        for _, speaker in ipairs(radio:getSpeakersInChannel(channel.frequency) or {}) do
            if speaker == id then
                return channel.frequency
            end
        end
    end
    return nil
end

local function tell(src, text)
    if src == 0 then
        print(text)
    else
        TriggerClientEvent('chat:addMessage', src, { args = { 'RADIO', text } })
    end
end

RegisterCommand('signal100', function(src, args)
    local frequency = args[1] or (src ~= 0 and channelOf(src))
    if not frequency then
        return tell(src, 'Which channel? /signal100 154.755')
    end
    -- nil toggles it
    if not radio:setAlertOnChannel(frequency, nil, 'SIGNAL 100') then
        return tell(src, 'There is no channel ' .. frequency)
    end
    if radio:getChannelAlert(frequency) then
        tell(src, 'SIGNAL 100 on ' .. frequency)
    else
        tell(src, frequency .. ' is free again')
    end
end, true)
