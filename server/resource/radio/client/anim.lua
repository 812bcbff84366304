-- The player's hand at the radio while it is on the air.

local playing -- the entry that is played, nil: none
local prop

local function stop()
    local ped = PlayerPedId()
    if playing and playing.dict then
        StopAnimTask(ped, playing.dict, playing.clip, -4.0)
        RemoveAnimDict(playing.dict)
    end
    if prop and DoesEntityExist(prop) then DeleteEntity(prop) end
    playing, prop = nil, nil
end

-- loaded waits for a part of the game for a second at most, and no longer than entry
-- is wanted.
local function loaded(entry, ready)
    local till = GetGameTimer() + 1000
    while not ready() do
        if playing ~= entry or GetGameTimer() > till then return false end
        Wait(10)
    end
    return playing == entry
end

-- hold puts a thing into the hand: prop = { model, bone, offset = {x, y, z}, rotation }.
local function hold(entry, ped)
    local p = entry.prop
    local model = joaat(p.model)
    if not IsModelInCdimage(model) then return end
    RequestModel(model)
    if not loaded(entry, function() return HasModelLoaded(model) end) then return end
    local at = GetEntityCoords(ped)
    prop = CreateObject(model, at.x, at.y, at.z, true, true, false)
    local o, r = p.offset or { 0.0, 0.0, 0.0 }, p.rotation or { 0.0, 0.0, 0.0 }
    AttachEntityToEntity(prop, ped, GetPedBoneIndex(ped, p.bone or 57005), o[1], o[2], o[3], r[1], r[2], r[3],
        true, true, false, true, 1, true)
    SetModelAsNoLongerNeeded(model)
end

local function start(entry)
    local ped = PlayerPedId()
    if not DoesAnimDictExist(entry.dict) then
        Radio.complain(('animation %s: there is no dictionary %s in this game'):format(entry.name or '?', entry.dict))
        return
    end
    RequestAnimDict(entry.dict)
    if not loaded(entry, function() return HasAnimDictLoaded(entry.dict) end) then return end
    TaskPlayAnim(ped, entry.dict, entry.clip, 8.0, 2.0, -1, entry.flag or 50, 0.0, false, false, false)
    if entry.prop and not Radio.redm then hold(entry, ped) end
end

Radio.on('talking', function(on)
    stop()
    if not on or Radio.state.vehicle or IsEntityDead(PlayerPedId()) then return end
    local _, entry = Radio.device.animation(Radio.state)
    if type(entry) ~= 'table' or not entry.dict or not entry.clip then return end
    playing = entry
    CreateThread(function() start(entry) end)
end)

AddEventHandler('onResourceStop', function(name)
    if name == GetCurrentResourceName() then stop() end
end)
