-- Zones, channels and the scan list: the knobs of the radio. Which ones there are,
-- and who may use them, comes from the service.

local Radio = Radio
local channels = {}
Radio.channels = channels

-- find looks a channel of the configuration up by its canonical frequency, in the
-- zone that is shown first. It returns channel, zone and the zone's number, or nil.
function channels.find(s, frequency)
    if frequency == nil then return nil end
    local count = #s.zones
    for i = 0, count - 1 do
        local at = (s.zone - 1 + i) % count + 1
        for _, c in ipairs(Radio.list(s.zones[at].channels)) do
            if c.frequency == frequency then return c, s.zones[at], at end
        end
    end
    return nil
end

-- current is the channel of the configuration that the radio is on, or nil; and the
-- frequency it works on, which on a talkgroup is another.
function channels.current(s)
    local me = s.self
    if not s.connected or me == nil or me.channel == nil then return nil, nil end
    local c, zone = channels.find(s, Radio.word(me.controlFrequency) or me.channel)
    return c, me.channel, zone
end

-- follow takes what the service says: somebody may have moved this radio.
function channels.follow(s, me)
    s.wanted = Radio.word(me.controlFrequency) or me.channel
    if s.scanning then
        s.scanList = {}
        for i, f in ipairs(Radio.list(me.listening)) do s.scanList[i] = f end
    end
    local _, _, at = channels.find(s, s.wanted)
    if at then s.zone = at end
    if RadioConfig.rememberChannel ~= false then Radio.device.save() end
end

-- rejoin goes back to where the radio was, as far as the service has forgotten it.
function channels.rejoin(s, me)
    if me.channel then
        s.wanted = Radio.word(me.controlFrequency) or me.channel
    elseif s.wanted then
        Radio.link.tell('setSpeakerChannel', s.wanted)
    end
    local on = {}
    for _, f in ipairs(Radio.list(me.listening)) do on[f] = true end
    local wanted = {}
    for _, f in ipairs(s.scanList) do
        wanted[f] = true
        if s.scanning and not on[f] then Radio.link.tell('addListeningChannel', f) end
    end
    for _, f in ipairs(Radio.list(me.listening)) do
        if not wanted[f] then s.scanList[#s.scanList + 1] = f end
    end
    local _, _, at = channels.find(s, s.wanted)
    if at then s.zone = at end
    s.near = {}
    channels.register(s)
end

function channels.lost(s)
    Radio.hook('gps', {})
    s.talkers = {}
    s.near, s.nearQueue = {}, {}
end

-- join asks for the speaking channel. Without a connection it is remembered until
-- there is one.
function channels.join(s, frequency)
    s.wanted = frequency
    Radio.view.dirty = true
    return Radio.link.tell('setSpeakerChannel', frequency)
end

-- usable are the channels of a zone that the knob stops at.
local function usable(zone)
    local out = {}
    for _, c in ipairs(Radio.list(zone and zone.channels)) do
        if c.canTransmit ~= false then out[#out + 1] = c end
    end
    return out
end

local function position(list, frequency)
    for i, c in ipairs(list) do
        if c.frequency == frequency then return i end
    end
    return nil
end

-- turn is a click of the channel knob: by is 1 or -1.
function channels.turn(s, by)
    local list = usable(s.zones[s.zone])
    if #list == 0 then return end
    local at = position(list, s.wanted)
    if at then
        at = (at - 1 + by) % #list + 1
    else
        at = by > 0 and 1 or #list
    end
    channels.join(s, list[at].frequency)
end

-- turnZone goes to the next zone with something to talk on. The channel knob keeps
-- its position, as on a radio.
function channels.turnZone(s, by)
    local at = position(usable(s.zones[s.zone]), s.wanted) or 1
    for i = 1, #s.zones - 1 do
        local to = (s.zone - 1 + by * i) % #s.zones + 1
        local list = usable(s.zones[to])
        if #list > 0 then
            s.zone = to
            channels.join(s, list[math.min(at, #list)].frequency)
            return
        end
    end
end

-- The scan list.

local function indexOf(list, value)
    for i, v in ipairs(list) do
        if v == value then return i end
    end
    return nil
end

function channels.scan(s, frequency)
    if not indexOf(s.scanList, frequency) then s.scanList[#s.scanList + 1] = frequency end
    Radio.device.save()
    if s.scanning then Radio.link.tell('addListeningChannel', frequency) end
end

function channels.unscan(s, frequency)
    local at = indexOf(s.scanList, frequency)
    if at then table.remove(s.scanList, at) end
    Radio.device.save()
    Radio.link.tell('removeListeningChannel', frequency)
end

-- scanButton: with a frequency it goes on or off the list, without one scanning
-- starts or stops.
function channels.scanButton(s, frequency)
    if frequency then
        if indexOf(s.scanList, frequency) then
            channels.unscan(s, frequency)
        else
            channels.scan(s, frequency)
        end
        return
    end
    s.scanning = not s.scanning
    for _, f in ipairs(s.scanList) do
        Radio.link.tell(s.scanning and 'addListeningChannel' or 'removeListeningChannel', f)
    end
    Radio.view.dirty = true
end

-- Radios nearby: for 3D audio the radio registers for every channel it knows of. Who
-- is near enough to be heard is for the service to say.

function channels.register(s)
    local want = {}
    if s.connected and not s.earbuds and s.audio3d > 0 and RadioConfig.hearNearby ~= false then
        for _, zone in ipairs(s.zones) do
            for _, c in ipairs(Radio.list(zone.channels)) do want[c.frequency] = true end
        end
    end
    s.nearQueue = {}
    for f in pairs(want) do
        if not s.near[f] then s.nearQueue[#s.nearQueue + 1] = f end
    end
    for f in pairs(s.near) do
        if not want[f] then s.nearQueue[#s.nearQueue + 1] = f end
    end
    table.sort(s.nearQueue)
end

function channels.tick(s)
    if not s.connected or s.fresh then return end
    for _ = 1, math.min(Radio.limits.nudged, #s.nearQueue) do
        local f = table.remove(s.nearQueue)
        s.near[f] = not s.near[f] or nil
        Radio.link.tell(s.near[f] and 'add3DListening' or 'remove3DListening', f)
    end
end

-- Who talks.

local function name(s, id, record)
    if id == nil or type(record) ~= 'table' then return end
    local known = s.names[id]
    if known == nil then
        s.named = s.named + 1
        if s.named > Radio.limits.names then s.names, s.named = {}, 1 end
        known = {}
        s.names[id] = known
    end
    known.name = Radio.word(record.name) or known.name
    known.unitId = Radio.word(record.unitId) or known.unitId
end

local function talks(s, frequency, id, on)
    local at = s.talkers[frequency]
    if on then
        if at == nil then
            at = {}
            s.talkers[frequency] = at
        end
        if not at[id] then
            s.talkerOrder = s.talkerOrder + 1
            at[id] = s.talkerOrder
        end
    elseif at then
        at[id] = nil
        if next(at) == nil then s.talkers[frequency] = nil end
    end
    Radio.view.dirty = true
end

function Radio.events.talkingState(s, data)
    if type(data) == 'table' and data.serverId and data.frequency then talks(s, data.frequency, data.serverId, data.state == true) end
end

function Radio.events.channelState(s, data)
    if type(data) ~= 'table' or data.frequency == nil then return end
    for id, u in pairs(Radio.list(data.userData)) do name(s, tonumber(id), u) end
    local now = {}
    for _, id in ipairs(Radio.list(data.activeTalkers)) do now[id] = true end
    for id in pairs(Radio.list(s.talkers[data.frequency])) do
        if not now[id] then talks(s, data.frequency, id, false) end
    end
    for id in pairs(now) do talks(s, data.frequency, id, true) end
end

function Radio.events.channelDeleted(s, frequency)
    if type(frequency) == 'string' then s.talkers[frequency] = nil end
end

function Radio.events.speakerJoined(s, data)
    if type(data) == 'table' then name(s, data.serverId, data) end
end

function Radio.events.speakerLeft(s, data)
    if type(data) == 'table' and s.talkers[data.frequency] then talks(s, data.frequency, data.serverId, false) end
end

function Radio.events.playerInfoUpdate(s, data)
    if type(data) == 'table' then name(s, data.serverId, data) end
end

-- More than any order in which talks have begun.
local ABOVE = 2 ^ 40

-- talker is who is heard: on the own channel first, the latest first, and this user
-- only if nobody else talks.
function channels.talker(s)
    if not s.connected or s.self == nil then return nil end
    local best, id, at = 0, nil, nil
    for f, on in pairs(s.talkers) do
        for who, order in pairs(on) do
            local rank = order
            if f == s.self.channel then rank = rank + ABOVE end
            if who ~= s.self.serverId then rank = rank + 2 * ABOVE end
            if rank > best then best, id, at = rank, who, f end
        end
    end
    if id == nil then return nil end
    local known = s.names[id] or {}
    local label = known.name
    if id == s.self.serverId then label = s.self.name or label end
    return { serverId = id, name = label or '', frequency = at, unitId = known.unitId }
end

-- The configuration.

function Radio.events.configUpdate(s, data)
    if type(data) ~= 'table' or type(data.zones) ~= 'table' then return end -- the slim form
    local shown = s.zones[s.zone] and s.zones[s.zone].name
    s.config, s.zones, s.zone = data, data.zones, 1
    for i, z in ipairs(s.zones) do
        if z.name == shown then s.zone = i end
        for _, c in ipairs(Radio.list(z.channels)) do
            for _, u in ipairs(Radio.list(c.users)) do name(s, tonumber(u.id), u) end
        end
    end
    if shown == nil then
        local _, _, at = channels.find(s, s.wanted)
        if at then s.zone = at end
    end
    Radio.device.configured(s, data)
    channels.register(s)
    Radio.view.dirty = true
end
