-- What the display shows, and the buttons around it.

local Radio = Radio
local view = { dirty = true }
Radio.view = view

-- notice puts a line on the display for a while; a later one takes its place. kind is
-- info, warn or alarm.
function view.notice(text, kind)
    local s = Radio.state
    s.noticeId = s.noticeId + 1
    s.notice = { id = s.noticeId, text = tostring(text):sub(1, 200), kind = kind }
    s.noticeTill = s.now + Radio.limits.notice
    view.dirty = true
end

-- again sends the whole picture, whatever was sent before.
function view.again()
    Radio.state.shown = nil
    view.dirty = true
end

local function channel(c)
    return { name = c.name, frequency = c.frequency, type = c.type, canTransmit = c.canTransmit ~= false }
end

local function emergency(s)
    local at = s.self and Radio.list(s.self.panic)[1]
    if at == nil and s.hotMic == nil then return nil end
    local left = s.hotMic and math.ceil(math.max(0, s.hotMic.till - s.now) / 1000) * 1000 or 0
    return { active = true, frequency = s.hotMic and s.hotMic.frequency or at, hotMicMs = left }
end

local function alert(s, frequency)
    local alerts = s.self and Radio.list(s.self.alerts)
    local a = alerts and frequency and alerts[frequency]
    if type(a) ~= 'table' or a.toneOnly then return nil end
    return { name = a.name, color = a.color }
end

local function picture(s)
    local on = s.connected and s.self or nil
    local now, working = Radio.channels.current(s)
    local zones, list = {}, {}
    for i, z in ipairs(s.zones) do zones[i] = z.name end
    for i, c in ipairs(Radio.list(s.zones[s.zone] and s.zones[s.zone].channels)) do list[i] = channel(c) end
    local shown = now and channel(now) or nil
    if shown then shown.working = working ~= now.frequency and working or nil end
    local scanned = {}
    for i, f in ipairs(on and Radio.list(on.listening) or {}) do scanned[i] = f end
    return {
        type = 'view', power = s.power, open = s.open, focus = s.focused,
        model = Radio.device.model(Radio.device.layout(s)), layout = Radio.device.layout(s), theme = Radio.device.theme(s),
        night = s.night == nil and s.dark == true or s.night == true,
        zone = s.zones[s.zone] and s.zones[s.zone].name or nil, zones = zones, channel = shown, channels = list,
        listening = scanned, scanning = s.scanning,
        volume = s.voice, toneVolume = s.tone, volume3d = s.audio3d, volumeStep = s.step,
        battery = math.floor(s.battery), signal = view.signal(s), gps = s.gps and Radio.device.has(s, 'gps'), earbuds = s.earbuds,
        emergency = emergency(s), alert = alert(s, now and now.frequency),
        talker = s.power and Radio.channels.talker(s) or nil, talking = s.displayTalking, transmitting = s.transmitting,
        callsign = on and on.callsign or s.callsign, name = on and on.name, nacId = on and on.nacId, unitId = on and on.unitId,
        connected = s.connected, connecting = s.connecting, mic = s.mic, notice = s.notice,
        features = { scan = Radio.device.has(s, 'scan'), gps = Radio.device.has(s, 'gps'), panic = Radio.device.has(s, 'panic') },
    }
end

-- signal is the strength of the own channel's signal, 0-100; -1 without a connection.
function view.signal(s)
    if not s.connected or s.self == nil then return -1 end
    return Radio.number(s.self.signal, 0, 100) or 100
end

function view.tick(s)
    if s.notice and s.now >= s.noticeTill then
        s.notice = nil
        view.dirty = true
    end
    if s.hotMic then view.dirty = true end -- it counts down
    if not view.dirty or not s.ready or s.now - s.viewAt < Radio.limits.view then return end
    view.dirty = false
    s.viewAt = s.now
    local now = picture(s)
    if Radio.same(now, s.shown) then return end
    s.shown = now
    Radio.post(now)
end

local ask = 'Press F8 and allow the microphone'

function Radio.receivers.mic(s, data)
    s.mic = Radio.word(data.state) or 'unknown'
    if s.mic == 'asking' then
        view.notice(ask, 'warn')
    elseif s.mic == 'ready' then
        if s.notice and s.notice.text == ask then s.notice = nil end -- it was allowed
        Radio.talk.ready(s)
    elseif s.mic == 'refused' then
        view.notice('The microphone was refused', 'warn')
    end
    view.dirty = true
end

-- The buttons. Everything but the power button is dead while the radio is off.
local buttons = {
    power = function(s) Radio.device.setPower(s, not s.power) end,
    close = function(s) Radio.device.open(s, false, false) end,
    layout = function(s, v) Radio.device.setLayout(s, Radio.word(v)) end,
    theme = function(s, v) Radio.device.setTheme(s, v) end,
}
local live = {
    ptt_down = function() Radio.talk.hold('ui', true) end,
    ptt_up = function() Radio.talk.hold('ui', false) end,
    channel_up = function(s) Radio.channels.turn(s, 1) end,
    channel_down = function(s) Radio.channels.turn(s, -1) end,
    channel = function(s, v)
        local f = Radio.key(v)
        if f then Radio.channels.join(s, f) end
    end,
    zone_up = function(s) Radio.channels.turnZone(s, 1) end,
    zone_down = function(s) Radio.channels.turnZone(s, -1) end,
    volume_up = function(s) Radio.device.louder(s, 1) end,
    volume_down = function(s) Radio.device.louder(s, -1) end,
    scan = function(s, v) Radio.channels.scanButton(s, Radio.key(v)) end,
    emergency = function(s) Radio.talk.emergencyButton(s) end,
    gps = function(s) Radio.device.setGPS(s, not s.gps) end,
    earbuds = function(s) Radio.device.earbuds(s, not s.earbuds) end,
    night = function(s, v)
        if type(v) == 'boolean' then s.night = v else s.night = not (s.night == nil and s.dark or s.night) end
        view.dirty = true
    end,
}
for action, field in pairs({ volume = 'voice', tone_volume = 'tone', volume_3d = 'audio3d' }) do
    live[action] = function(s, v)
        v = Radio.number(v, 0, 1)
        if v then Radio.device.volume(s, field, v) end
    end
end

-- press is a button of the handheld or a key of the player.
function view.press(action, value)
    local s = Radio.state
    if buttons[action] then
        buttons[action](s, value)
    elseif live[action] and (s.power or action == 'ptt_up') then
        live[action](s, value)
    end
end

function Radio.receivers.ui(_, data)
    view.press(data.action, data.value)
end

-- What the service tells people.

function Radio.events.refused(_, data)
    if type(data) ~= 'table' or view.quiet[data.action] then return end
    view.notice(Radio.word(data.error) or 'Refused', 'warn')
end

-- Refusals that are no business of the player: of what it has not asked for, and of
-- key-ups, which the host reports.
view.quiet = { add3DListening = true, remove3DListening = true, radioState = true, setTalking = true, voice = true, ['webrtc:offer'] = true }

local function who(s, data)
    return Radio.word(data.name) or Radio.word(data.byName) or data.serverId and s.names[data.serverId] and s.names[data.serverId].name
        or 'A unit'
end

local told = {
    broadcast = function(_, d) view.notice(Radio.word(d.message) or 'Broadcast', 'info') end,
    userAlert = function(_, d) view.notice(Radio.word(d.message) or 'Dispatch calls', 'info') end,
    userSwitched = function(s, d)
        if not (s.self and d.serverId == s.self.serverId) then return end
        local c = Radio.channels.find(s, Radio.word(d.controlFrequency) or d.frequency)
        view.notice('Moved to ' .. (c and c.name or tostring(d.frequency)), 'info')
    end,
    userDisconnected = function(s, d)
        if s.self and d.serverId == s.self.serverId then view.notice('Taken off the channel', 'warn') end
    end,
    panic = function(s, d)
        if not d.current and not (s.self and d.serverId == s.self.serverId) then view.notice('EMERGENCY ' .. who(s, d), 'alarm') end
    end,
    alert = function(_, d)
        if not d.current and type(d.alertConfig) == 'table' and Radio.word(d.alertConfig.name) and not d.alertConfig.toneOnly then
            view.notice(d.alertConfig.name, 'alarm')
        end
    end,
}
told.oneshot = told.alert

function Radio.events.dispatchNotification(s, data)
    local f = type(data) == 'table' and told[data.type]
    if f and s.power then f(s, data) end
end
