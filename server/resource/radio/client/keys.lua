-- Keys and commands. Players bind the keys in the game's settings.

local keys = type(RadioConfig.keys) == 'table' and RadioConfig.keys or {}
local pttKey = GetConvar('radio_ptt_key', keys.ptt or 'CAPITAL')

local function toggle()
    local s = Radio.state
    Radio.device.open(s, not s.open, not s.open)
end

local function press(action)
    return function() Radio.view.press(action) end
end

local function talk(down)
    return function() Radio.talk.hold('key', down) end
end

RegisterCommand('+radiotalk', talk(true), false)
RegisterCommand('-radiotalk', talk(false), false)

-- Command, what the settings call it, default key, what it does.
local bound = {
    { 'radioopen', 'Radio: show or hide', keys.open, toggle },
    { 'radiochannelup', 'Radio: next channel', keys.channelUp, press('channel_up') },
    { 'radiochanneldown', 'Radio: previous channel', keys.channelDown, press('channel_down') },
    { 'radiozoneup', 'Radio: next zone', keys.zoneUp, press('zone_up') },
    { 'radiozonedown', 'Radio: previous zone', keys.zoneDown, press('zone_down') },
    { 'radiovolumeup', 'Radio: louder', keys.volumeUp, press('volume_up') },
    { 'radiovolumedown', 'Radio: quieter', keys.volumeDown, press('volume_down') },
    { 'radiopanic', 'Radio: emergency', keys.panic, press('emergency') },
}

for _, b in ipairs(bound) do
    RegisterCommand(b[1], b[4], false)
end

-- selftest prints what somebody who helps needs to know.
local function selftest()
    local d = Radio.functions.client.getConnectionDiagnostics() or {}
    local function line(label, value, unit)
        if value ~= nil and value ~= '' then print(('  %-16s %s%s'):format(label, tostring(value), unit or '')) end
    end
    print('Radio self-test')
    line('resource', ('%s %s'):format(GetCurrentResourceName(), Radio.version))
    line('page', d.page or 'does not answer')
    line('game', ('%s, build %d'):format(GetGameName(), GetGameBuildNumber()))
    line('connection', d.connected and 'connected' or d.connecting and 'connecting' or 'none')
    line('path', d.path or 'none')
    line('reason', d.reason)
    line('detail', d.detail)
    line('mixed content', d.mixedContent and 'blocked: set radio_public_url to an https address' or 'no')
    line('round trip', d.rtt, ' ms')
    line('packets lost', d.packetsLost and ('%.1f'):format(d.packetsLost * 100), ' %')
    line('microphone', d.mic)
    line('encoder', d.encoder)
    line('server id', d.serverId)
    line('signal', d.signal)
    line('longest pause', ('%.0f'):format(Radio.pause or 0), ' ms between two ticks of the radio')
    Radio.view.notice('The self-test is in the F8 console', 'info')
end

RegisterCommand('radio', function(_, args)
    if args[1] == 'selftest' then
        selftest()
    elseif args[1] == 'on' or args[1] == 'off' then
        Radio.functions.client.setPower(args[1] == 'on')
    elseif args[1] == nil then
        toggle()
    else
        print('/radio, /radio on, /radio off, /radio selftest, /radiopanic')
    end
end, false)

TriggerEvent('chat:addSuggestion', '/radio', 'Show or hide the radio', { { name = 'on, off, selftest', help = 'optional' } })
TriggerEvent('chat:addSuggestion', '/radiopanic', 'Emergency: on, or off again')

if not Radio.redm then
    RegisterKeyMapping('+radiotalk', 'Radio: push to talk', 'keyboard', pttKey)
    for _, b in ipairs(bound) do
        RegisterKeyMapping(b[1], b[2], 'keyboard', b[3] or '')
    end
    return
end

-- RedM: the controls are polled.
local controls = type(RadioConfig.redmControls) == 'table' and RadioConfig.redmControls or {}
local polled = {
    open = toggle, channelUp = press('channel_up'), channelDown = press('channel_down'), zoneUp = press('zone_up'),
    zoneDown = press('zone_down'), volumeUp = press('volume_up'), volumeDown = press('volume_down'), panic = press('emergency'),
}

CreateThread(function()
    local down = false
    while true do
        if controls.ptt then
            local now = IsControlPressed(0, controls.ptt)
            if now ~= down then
                down = now
                Radio.talk.hold('key', now)
            end
        end
        for name, action in pairs(polled) do
            if controls[name] and IsControlJustPressed(0, controls[name]) then action() end
        end
        Wait(0)
    end
end)
