-- Every export of the client. shared/common.lua checks the arguments, catches what goes
-- wrong and answers with the failure value of shared/table.lua where a function here
-- answers nothing.

local Radio = Radio

local function export(name, fn)
    Radio.export('client', name, function(...)
        local s = Radio.state
        if s == nil then return nil end
        s.now = Radio.port.now()
        return fn(s, ...)
    end)
end

-- me is the service's record of this user; without a connection nothing is known.
local function me(s)
    return s.connected and s.self or nil
end

-- On screen.

export('openRadio', function(s, focus)
    Radio.device.open(s, true, focus ~= false)
end)

export('closeRadio', function(s)
    Radio.device.open(s, false, false)
end)

export('isRadioOpen', function(s) return s.open end)
export('isRadioFocused', function(s) return s.focused end)

-- Channels.

export('setCurrentChannel', function(s, channel)
    Radio.channels.join(s, channel)
end)

export('connectToFrequency', function(s, frequency)
    if not s.connected then return false end
    return Radio.channels.join(s, frequency)
end)

export('getCurrentFrequency', function(s)
    return me(s) and me(s).channel
end)

export('getCurrentChannel', function(s)
    local channel, working, zone = Radio.channels.current(s)
    if channel == nil then return nil end
    local out = {}
    for k, v in pairs(channel) do out[k] = v end
    out.zone = zone.name
    if working ~= channel.frequency then
        out.frequency, out.controlFrequency = working, channel.frequency
    end
    return out
end)

export('addListeningChannel', function(s, channel)
    Radio.channels.scan(s, channel)
end)

export('removeListeningChannel', function(s, channel)
    Radio.channels.unscan(s, channel)
end)

export('getListeningChannels', function(s)
    local out = {}
    for i, f in ipairs(Radio.list(me(s) and me(s).listening)) do out[i] = f end
    return out
end)

export('getZone', function(s)
    local zone = me(s) and s.zones[s.zone]
    return zone and zone.name
end)

-- Talking.

export('startTransmitting', function()
    Radio.talk.hold('script', true)
end)

export('stopTransmitting', function()
    Radio.talk.release()
end)

export('isTransmitting', function(s) return s.transmitting == 'talking' end)

export('getActiveTalker', function(s)
    local talker = Radio.channels.talker(s)
    return talker and { serverId = talker.serverId, name = talker.name, frequency = talker.frequency }
end)

export('setTalking', function(s, talking)
    s.displayTalking = talking
    Radio.view.dirty = true
end)

export('triggerAlertOnChannel', function(_, frequency, enabled)
    Radio.link.tell('triggerAlert', { frequency = frequency, enabled = enabled })
end)

export('panicButton', function(_, frequency, enabled)
    Radio.talk.panic(frequency, enabled)
end)

export('playTone', function(s, tone)
    Radio.device.play(s, tone)
end)

-- The set.

export('isConnected', function(s) return s.connected end)
export('isPowerOn', function(s) return s.power end)

export('setPower', function(s, state)
    if state == nil then state = not s.power end
    Radio.device.setPower(s, state)
end)

for field, name in pairs({ voice = 'Volume', tone = 'ToneVolume', audio3d = '3DVolume' }) do
    export('set' .. name, function(s, volume) Radio.device.volume(s, field, volume) end)
    export('get' .. name, function(s) return s[field] end)
end

export('NotifySirenChanged', function(s)
    Radio.device.sirenChanged(s)
end)

export('setRadioLayout', function(s, layout)
    Radio.device.setLayout(s, layout)
end)

export('getRadioLayout', function(s) return Radio.device.layout(s) end)

export('setRadioTheme', function(s, theme)
    Radio.device.setTheme(s, theme)
end)

export('getRadioTheme', function(s) return Radio.device.theme(s) end)

export('setAnimationId', function(s, id)
    Radio.device.setAnimation(s, id)
end)

export('getAnimationId', function(s) return (Radio.device.animation(s)) end)

export('setEarbudsEnabled', function(s, enabled)
    Radio.device.earbuds(s, enabled)
end)

export('getEarbudsEnabled', function(s) return s.earbuds end)

export('setGPSEnabled', function(s, enabled)
    Radio.device.setGPS(s, enabled)
end)

export('getGPSEnabled', function(s) return s.gps and Radio.device.has(s, 'gps') end)
export('getBatteryLevel', function(s) return s.battery end)
export('getSignalStrength', function(s) return Radio.view.signal(s) end)

-- The user.

export('getCurrentName', function(s) return me(s) and me(s).name end)
export('getCurrentNacId', function(s) return me(s) and me(s).nacId end)
export('getMyCallsign', function(s) return me(s) and me(s).callsign end)

export('refreshMyNacId', function()
    Radio.port.server('refresh', {})
end)

-- The service checks the callsign; what it takes comes back with the own record and is
-- saved. Without a connection the game server passes it on.
export('setMyCallsign', function(_, callsign)
    Radio.link.tell('setCallsign', { callsign = callsign or '' })
end)

export('getConnectionDiagnostics', function(s)
    local out = {}
    for k, v in pairs(s.diagnostics) do
        if type(v) ~= 'table' and type(v) ~= 'function' then out[k] = v end
    end
    out.connected, out.connecting = s.connected, s.connecting
    out.path = out.path or s.link and s.link.path
    out.serverId = s.self and s.self.serverId or s.link and s.link.serverId
    out.version, out.page, out.mic = Radio.version, s.page, out.mic or s.mic
    out.power, out.signal, out.transmitting = s.power, Radio.view.signal(s), s.transmitting
    return out
end)
