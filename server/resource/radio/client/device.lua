-- The set itself: power, volumes, battery, siren, looks, and what of it is saved and
-- reported to the service.

local Radio = Radio
local device = {}
Radio.device = device

-- play plays a tone here. Names that the service does not have are silent. An
-- announcement has a volume of its own, that of the subscriber record.
function device.play(s, name, announcement)
    if Radio.word(name) == nil or #name > Radio.limits.text then return end
    if s.tones then name = s.tones[name:lower()] end
    if name == nil then return end
    Radio.post({ type = 'tone', name = name, announcement = announcement })
end

function Radio.events.serverTone(s, data)
    if s.power and type(data) == 'table' then device.play(s, data.tone, true) end
end

-- configured takes over what the operator's configuration says about every radio.
function device.configured(s, config)
    s.tones = {}
    for _, t in ipairs(Radio.list(config.tones)) do
        if Radio.word(t.name) then s.tones[t.name:lower()] = t.name end
    end
    local v = Radio.list(config.volumes)
    s.step = (Radio.number(v.volumeStep, 1, 100) or 5) / 100
    local first = { voice = v.voiceVolume, tone = v.sfxVolume, audio3d = v.default3DVolume }
    for field, percent in pairs(first) do
        if not s.chosen[field] then s[field] = (Radio.number(percent, 0, 100) or 50) / 100 end
    end
    device.sound(s)
    device.report(s)
end

function device.subscriber(s, record)
    local announcement = record and Radio.number(record.announcementVolume, 0, 1) or 1
    if announcement == s.announcement then return end
    s.announcement = announcement
    device.sound(s)
end

-- sound tells the host how loud everything is.
function device.sound(s)
    Radio.post({ type = 'sound', voice = s.voice, tone = s.tone, audio3d = s.audio3d, earbuds = s.earbuds,
        announcement = s.announcement or 1 })
    Radio.view.dirty = true
end

-- volume sets one of voice, tone and audio3d, 0-1.
function device.volume(s, field, value)
    s.chosen[field] = true
    if s[field] == value then return end
    s[field] = value
    device.sound(s)
    device.save()
    device.report(s)
    if field == 'audio3d' then Radio.channels.register(s) end
end

-- louder turns the volume knob by one step; by is 1 or -1. Steps stay on the grid.
function device.louder(s, by)
    local steps = math.floor(s.voice / s.step + 0.5) + by
    device.volume(s, 'voice', math.max(0, math.min(1, steps * s.step)))
end

function device.setPower(s, on)
    if on == s.power then return end
    if on and s.battery <= 0 then
        Radio.view.notice('The battery is empty', 'warn')
        return
    end
    if not on then Radio.talk.releaseAll() end
    s.power = on
    if on then device.play(s, RadioConfig.tones and RadioConfig.tones.power) end
    Radio.view.dirty = true
    device.save()
    device.report(s)
end

-- open shows or hides the handheld; focused: with the mouse.
function device.open(s, open, focused)
    if s.open == open and s.focused == focused then return end
    s.open, s.focused = open, focused
    Radio.hook('focus', focused)
    Radio.view.dirty = true
    device.report(s)
end

function device.earbuds(s, on)
    if s.earbuds == on then return end
    s.earbuds = on
    device.sound(s)
    device.save()
    device.report(s)
    Radio.channels.register(s)
end

-- has says whether the subscriber record lets this radio do something: scan, gps,
-- panic. Without a record it does everything.
function device.has(s, feature)
    local record = s.self and s.self.subscriber
    if type(record) ~= 'table' or type(record.features) ~= 'table' then return true end
    return record.features[feature] ~= false
end

function device.setGPS(s, on)
    if on and not device.has(s, 'gps') then
        Radio.view.notice('This radio has no GPS', 'warn')
        return
    end
    if s.gps == on then return end
    s.gps = on
    Radio.view.dirty = true
    device.save()
    device.report(s)
end

function Radio.events.gps(s, data)
    Radio.hook('gps', type(data) == 'table' and Radio.list(data.positions) or {})
end

-- Looks.

local models = { ['handheld-a'] = true, ['handheld-b'] = true, ['car'] = true }

-- model is what a layout looks like: it is one of the three, or a radio model of the
-- operator's list (upper and lower case are the same); nil: neither.
function device.model(name)
    if Radio.word(name) == nil or #name > Radio.limits.text then return nil end
    if models[name] then return name end
    for known, model in pairs(Radio.list(RadioConfig.models)) do
        if known:lower() == name:lower() and models[model] then return model end
    end
    return nil
end

-- layout is the one in use: chosen, else the vehicle's or the subscriber record's.
function device.layout(s)
    if s.layout then return s.layout end
    if s.vehicle and RadioConfig.carUnit ~= false then return 'car' end
    local record = s.self and s.self.subscriber
    local own = record and record.radioModel
    if device.model(own) then return own end
    return device.model(RadioConfig.defaultLayout) and RadioConfig.defaultLayout or 'handheld-a'
end

-- setLayout: with nil the vehicle or the subscriber record decides again.
function device.setLayout(s, name)
    if name ~= nil and device.model(name) == nil then return end
    if s.layout == name then return end
    s.layout = name
    Radio.view.dirty = true
    device.save()
    device.report(s)
end

-- A theme's name is the page's business; here it only has to be one.
function device.setTheme(s, name)
    if Radio.word(name) == nil or #name > Radio.limits.text or name:find('[^%w_%-]') then return end
    s.theme = name
    Radio.view.dirty = true
    device.save()
    device.report(s)
end

function device.theme(s)
    return s.theme or Radio.word(RadioConfig.defaultTheme) or 'standard'
end

-- animation is the index in use, as text, and its entry.
function device.animation(s)
    local list = Radio.list(RadioConfig.animations)
    local id = s.animation or tostring(RadioConfig.defaultAnimation or 1)
    return id, list[tonumber(id)]
end

function device.setAnimation(s, id)
    local index = Radio.number(id, 1, 1000)
    if index == nil or Radio.list(RadioConfig.animations)[index] == nil then return end
    s.animation = ('%d'):format(index)
    device.save()
    device.report(s)
end

-- inVehicle and atNight come from the game.
function device.inVehicle(s, yes)
    yes = yes and yes ~= 0 or false -- the game says 1
    if s.vehicle == yes then return end
    s.vehicle = yes
    Radio.view.dirty = true
    device.report(s)
end

function device.atNight(s, yes)
    if s.dark == yes then return end
    s.dark = yes
    Radio.view.dirty = true
end

-- The siren behind the voice. However often it is nudged, there is one poll per tick.

function device.sirenChanged(s)
    s.sirenNudged = true
end

local function pollSiren(s)
    if not s.sirenNudged and s.now - s.sirenAt < Radio.limits.siren then return end
    s.sirenNudged, s.sirenAt = nil, s.now
    local on = Radio.call('bgSirenCheck', Radio.sirenState and Radio.sirenState() or {}) == true
    if on == s.siren then return end
    s.siren = on
    Radio.post({ type = 'siren', on = on })
end

local function drain(s)
    local passed = s.now - s.batteryAt
    if passed < Radio.limits.battery then return end
    s.batteryAt = s.now
    local level = Radio.number(Radio.call('batteryTick', s.battery, passed / 1000), 0, 100) or s.battery
    if level == s.battery then return end
    local shown = math.floor(s.battery)
    if level <= 10 and s.battery > 10 then Radio.view.notice('The battery is low', 'warn') end
    s.battery = level
    if level <= 0 and s.power then
        Radio.view.notice('The battery is empty', 'warn')
        device.setPower(s, false)
    end
    if math.floor(level) ~= shown then
        Radio.view.dirty = true
        device.report(s)
    end
end

-- Reports to the service, and settings: what has changed is sent a little later, as
-- one.

function device.report(s)
    s.unreported = true
end

function device.reportAll(s)
    s.reported = {}
    s.unreported = true
end

local function state(s)
    local id = device.animation(s)
    return { power = s.power, open = s.open, focused = s.focused, layout = device.layout(s), theme = device.theme(s), animationId = id,
        earbuds = s.earbuds, battery = math.floor(s.battery), gps = s.gps and device.has(s, 'gps') }
end

local function sendReport(s)
    if not s.unreported or not s.connected or s.fresh or s.now - s.reportAt < Radio.limits.report then return end
    s.reportAt, s.unreported = s.now, false
    local now, before, out, any = state(s), s.reported or {}, {}, false
    for k, v in pairs(now) do
        if before[k] ~= v then
            out[k], any = v, true
        end
    end
    now.volumes = ('%.4f/%.4f/%.4f'):format(s.voice, s.tone, s.audio3d)
    if before.volumes ~= now.volumes then
        out.volumes, any = { voice = s.voice, tone = s.tone, audio3d = s.audio3d }, true
    end
    s.reported = now
    if any then Radio.link.tell('radioState', out) end
end

function device.save()
    Radio.state.unsaved = true
end

-- flush saves now what has changed.
function device.flush(s)
    if not s.unsaved or not s.ready then return end
    s.unsaved, s.saveAt = false, s.now
    local settings = { power = s.power, layout = s.layout, theme = s.theme, animation = s.animation, earbuds = s.earbuds, gps = s.gps, callsign = s.callsign }
    for field in pairs(s.chosen) do settings[field] = s[field] end
    if RadioConfig.rememberChannel ~= false then
        local scan = {}
        for i, f in ipairs(s.scanList) do scan[i] = f end
        settings.channel, settings.scan = s.wanted, scan
    end
    if Radio.same(settings, s.saved) then return end
    s.saved = settings
    Radio.post({ type = 'save', settings = settings })
end

-- restore takes settings that may be of another version, or from anywhere.
function device.restore(s, saved)
    for _, field in ipairs({ 'voice', 'tone', 'audio3d' }) do
        local v = type(saved[field]) == 'number' and Radio.number(saved[field], 0, 1)
        if v and not s.chosen[field] then s[field], s.chosen[field] = v, true end
    end
    if s.layout == nil then device.setLayout(s, Radio.word(saved.layout)) end
    if s.theme == nil then device.setTheme(s, saved.theme) end
    if s.animation == nil then device.setAnimation(s, saved.animation) end
    if RadioConfig.startsOn == 'last' and saved.power == true then device.setPower(s, true) end
    if type(saved.earbuds) == 'boolean' then s.earbuds = saved.earbuds end
    if type(saved.gps) == 'boolean' then s.gps = saved.gps end
    s.callsign = s.callsign or Radio.word(saved.callsign)
    if RadioConfig.rememberChannel ~= false then
        s.wanted = s.wanted or Radio.key(saved.channel)
        if #s.scanList == 0 then
            for _, f in ipairs(Radio.list(saved.scan)) do
                s.scanList[#s.scanList + 1] = Radio.key(f)
            end
        end
    end
    s.unsaved = false
end

function device.tick(s)
    drain(s)
    pollSiren(s)
    sendReport(s)
    if s.unsaved and s.now - s.saveAt >= Radio.limits.save then device.flush(s) end
end
