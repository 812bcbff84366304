-- Where the player's ear is and where the radios around it play, for the page's 3D
-- voice; and whether it is night, and the player in a vehicle.

local STALE = 1000 -- ms without news from the server: nobody near talks

local talkers, heardAt = {}, 0 -- { talker, x, y, z }: the place is that of the radio which plays it
local running = false

local function send()
    local at = GetEntityCoords(PlayerPedId())
    Radio.post({ type = 'scene', ear = { x = at.x, y = at.y, z = at.z, heading = GetGameplayCamRot(2).z }, talkers = talkers })
end

-- The thread runs only while somebody near talks: ten pictures a second, which the page
-- makes smooth.
local function run()
    if running then return end
    running = true
    CreateThread(function()
        while #talkers > 0 do
            send()
            Wait(100)
            if GetGameTimer() - heardAt > STALE then talkers = {} end
        end
        send()
        running = false
    end)
end

RegisterNetEvent('radio:scene', function(scene)
    talkers = {}
    heardAt = GetGameTimer()
    for _, radio in ipairs(type(scene) == 'table' and type(scene.radios) == 'table' and scene.radios or {}) do -- { x, y, z, talker, … }
        local x, y, z
        if type(radio) == 'table' then
            x, y, z = radio[1], radio[2], radio[3]
        end
        for i = 4, type(x) == 'number' and type(y) == 'number' and type(z) == 'number' and #radio or 0 do
            if type(radio[i]) == 'number' then
                talkers[#talkers + 1] = { radio[i], x, y, z }
            end
        end
    end
    if #talkers > 0 and not Radio.state.earbuds then run() end
end)

CreateThread(function()
    while true do
        Radio.device.inVehicle(Radio.state, IsPedInAnyVehicle(PlayerPedId(), false))
        local hour = GetClockHours()
        Radio.device.atNight(Radio.state, hour >= 21 or hour < 6)
        Wait(500)
    end
end)
