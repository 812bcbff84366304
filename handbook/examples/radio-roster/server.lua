-- /roster: who is on which channel, with callsigns, for everybody who may dispatch. In the
-- console it shows everything.

local radio = exports.radio

local function callsign(id)
    return radio:getCallsign(id) or ('#%d'):format(id)
end

local function line(channel)
    local names = {}
    for _, user in ipairs(channel.users) do
        local id = tonumber(user.id)
        local mark = user.panic and ' (PANIC)' or user.transmitting and ' (talking)' or ''
        names[#names + 1] = callsign(id) .. ' ' .. user.name .. mark
    end
    return ('%s, %s: %s'):format(channel.frequency, channel.name, table.concat(names, ', '))
end

RegisterCommand('roster', function(src)
    local permissions = src ~= 0 and radio:getAcePermissions(src)
    if src ~= 0 and not (permissions and permissions.dispatch) then
        return
    end
    local lines = {}
    for _, channel in ipairs(radio:getAllChannels() or {}) do
        if #channel.users > 0 then
            lines[#lines + 1] = line(channel)
        end
    end
    if #lines == 0 then
        lines[1] = 'Nobody is on the radio.'
    end
    for _, text in ipairs(lines) do
        if src == 0 then
            print(text)
        else
            TriggerClientEvent('chat:addMessage', src, { args = { 'ROSTER', text } })
        end
    end
end, false)
