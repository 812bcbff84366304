-- The game around the radio: the page, the game server, and the clock.

local resource = GetCurrentResourceName()

Radio.version = GetResourceMetadata(resource, 'version', 0) or ''

-- RedM has no key mapping, other controls and other animations.
Radio.redm = GetGameName() == 'redm'

for name, fn in pairs(Radio.functions.client) do
    exports(name, fn)
end

-- callsign goes as plain text: server scripts of operators listen too.
local plain = { sendCallsign = 'callsign' }

Radio.start({
    post = SendNUIMessage,
    now = GetGameTimer,
    server = function(name, data)
        TriggerServerEvent('radio:' .. name, plain[name] and data[plain[name]] or data)
    end,
})

-- The page waits for its answer, so it gets one whatever happens.
for name in pairs(Radio.receivers) do
    RegisterNUICallback(name, function(data, answer)
        local ok, result = pcall(Radio.receive, name, data)
        if not ok then
            Radio.complain(('%s: %s'):format(name, result))
            result = { ok = false }
        end
        answer(result)
    end)
end

for name in pairs(Radio.nets) do
    RegisterNetEvent('radio:' .. name, function(data)
        Radio.net(name, data)
    end)
end

-- With the mouse on the radio the player can still walk, drive and talk, but neither
-- looks around nor shoots.
local lookAndShoot = Radio.redm
    and { 0xA987235F, 0xD2047988, 0x07CE1E61, 0xF84FA74F, 0xD82E0BD2 }
    or { 1, 2, 24, 25, 68, 69, 70, 91, 92, 106, 140, 141, 142, 199, 200, 257, 263 }
local focused = false

Radio.on('focus', function(on)
    SetNuiFocus(on, on)
    SetNuiFocusKeepInput(on)
    if on == focused then return end
    focused = on
    if not on then return end
    CreateThread(function()
        while focused do
            for i = 1, #lookAndShoot do
                DisableControlAction(0, lookAndShoot[i], true)
            end
            Wait(0)
        end
        -- The release of the click or the Escape that has closed the radio is not for
        -- the game either.
        local till = GetGameTimer() + 300
        while GetGameTimer() < till and not focused do
            for i = 1, #lookAndShoot do
                DisableControlAction(0, lookAndShoot[i], true)
            end
            Wait(0)
        end
    end)
end)

-- The clock. The longest pause between two ticks of late shows how the game runs.
CreateThread(function()
    local last = GetGameTimer()
    while true do
        local ok, why = pcall(Radio.tick)
        if not ok then Radio.complain(tostring(why)) end
        Wait(50)
        local now = GetGameTimer()
        Radio.pause = math.max(now - last, (Radio.pause or 0) * 0.98)
        last = now
    end
end)

-- Death and the pause menu: the key's release may never come.
CreateThread(function()
    local paused = false
    while true do
        Radio.talk.dead(IsEntityDead(PlayerPedId()))
        local now = IsPauseMenuActive()
        if now and not paused then Radio.talk.release() end
        paused = now
        Wait(250)
    end
end)

AddEventHandler('onResourceStop', function(name)
    if name ~= resource then return end
    Radio.stop()
    focused = false
    SetNuiFocusKeepInput(false)
    SetNuiFocus(false, false)
end)
