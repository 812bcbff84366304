-- All server exports, over Radio.source: in the game the live copy (mirror.lua), inside
-- the service the radio itself. Arguments arrive checked (shared/common.lua).
--
--   source.ready()          whether it can answer
--   source.channel(key)     { frequency, speakers, listeners, activeTalkers } or nil
--   source.channels()       the configured channels
--   source.active()         frequencies with users
--   source.alertTypes()     Config.alerts
--   source.alert(key)       the alert that stands on a channel, or nil
--   source.panic(key)       { [id] = true }, nil without such a channel
--   source.panicOn(id, key), source.talking(id, key)
--   source.user(id)         the user's record or nil
--   source.zones(id)        the zones of the user's radio, or nil
--   source.act(name, args)  asks for a change; whether it is done. For refreshPlayerInfo: how many

-- export defines one that has nothing to say until the source can answer.
local function export(name, fn)
    Radio.export('server', name, function(...)
        local source = Radio.source
        if not source or not source.ready() then
            return nil
        end
        return fn(source, ...)
    end)
end

-- list defines an export that gives one list of a channel.
local function list(name, field)
    export(name, function(source, key)
        local channel = source.channel(key)
        return channel and channel[field]
    end)
end

list('getSpeakersInChannel', 'speakers')
list('getListenersInChannel', 'listeners')
list('getActiveTalkersInChannel', 'activeTalkers')

export('getAllUsersInChannel', function(source, key)
    local channel = source.channel(key)
    if not channel then
        return nil
    end
    local all, seen = {}, {}
    for _, ids in ipairs({ channel.speakers, channel.listeners }) do
        for _, id in ipairs(ids) do
            if not seen[id] then
                seen[id] = true
                all[#all + 1] = id
            end
        end
    end
    table.sort(all)
    return all
end)

export('getActiveChannels', function(source)
    return source.active()
end)

export('getChannelInfo', function(source, key)
    return source.channel(key)
end)

export('getAllChannels', function(source)
    return source.channels()
end)

export('getChannelAlert', function(source, key)
    return source.alert(key)
end)

export('setAlertOnChannel', function(source, key, enabled, alert)
    return source.act('setAlertOnChannel', { frequency = key, enabled = enabled, alert = alert })
end)

export('setChannelSignal', function(source, key, enabled)
    return source.act('setAlertOnChannel', { frequency = key, enabled = enabled })
end)

export('getChannelPanic', function(source, key)
    return source.panic(key)
end)

export('setChannelPanic', function(source, key, id, enabled)
    return source.act('setChannelPanic', { frequency = key, serverId = id, enabled = enabled })
end)

export('getUserPanicState', function(source, id, key)
    return source.panicOn(id, key)
end)

export('setUserChannel', function(source, id, key)
    return source.act('setUserChannel', { serverId = id, frequency = key })
end)

export('isUserTalking', function(source, id, key)
    return source.talking(id, key)
end)

-- field defines an export that gives one field of a user's record.
local function field(title, name)
    export(title, function(source, id)
        local user = source.user(id)
        return user and user[name]
    end)
end

field('getPlayerName', 'name')
field('getPlayerNacId', 'nacId')
field('hasRadioAccess', 'access')
field('getAcePermissions', 'aces')
field('getSubscriberInfo', 'subscriber')
field('getCallsign', 'callsign')

export('getUserInfo', function(source, id)
    local user = source.user(id)
    return user and { name = user.name, nacId = user.nacId }
end)

export('getSubscriberZones', function(source, id)
    return source.zones(id)
end)

-- act defines an export that changes one user.
local function act(name)
    export(name, function(source, id)
        return source.act(name, { serverId = id })
    end)
end

act('disconnectUser')
act('refreshNacId')
act('refreshSubscriber')

export('setUserNacId', function(source, id, nac)
    return source.act('setUserNacId', { serverId = id, nacId = nac })
end)

export('refreshPlayerInfo', function(source)
    return source.act('refreshPlayerInfo', {})
end)

export('setCallsign', function(source, id, callsign)
    if callsign == '' then
        callsign = nil
    end
    return source.act('setCallsign', { serverId = id, callsign = callsign })
end)

-- The two that play a tone answer nothing, whatever comes of it.
export('playToneOnChannel', function(source, key, tone)
    source.act('playToneOnChannel', { frequency = key, tone = tone })
end)

export('playToneOnSource', function(source, id, tone)
    source.act('playToneOnSource', { serverId = id, tone = tone })
end)
