-- What RadioConfig.bgSirenCheck is asked with.

local lvc -- the last state of Luxart Vehicle Control 3, which makes its own sirens

AddEventHandler('lvc:UpdateThirdParty', function(state)
    lvc = type(state) == 'table' and state or nil
    Radio.device.sirenChanged(Radio.state)
end)

-- on is true for true, and for the numbers above 0 that the game and LVC mean by it.
local function on(state)
    return type(state) == 'number' and state > 0 or state == true
end

function Radio.sirenState()
    local vehicle = GetVehiclePedIsIn(PlayerPedId(), false)
    if Radio.redm or vehicle == 0 or not DoesEntityExist(vehicle) then
        lvc = nil
        return { vehicle = false, lights = false, sound = false }
    end
    local sound = on(IsVehicleSirenAudioOn(vehicle))
    if lvc then
        sound = on(lvc.state_lxsiren) or on(lvc.state_pwrcall) or on(lvc.state_airmanu)
    end
    return { vehicle = true, lights = on(IsVehicleSirenOn(vehicle)), sound = sound, lvc = lvc }
end
