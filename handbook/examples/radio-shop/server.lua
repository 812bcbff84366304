-- A counter that sells radios (ox_inventory): /buyradio at one of the places below. Whoever
-- carries a radio and has radio access is sent away.

local PRICE = 500
local REACH = 3.0 -- metres from the counter
local counters = {
    vector3(441.2, -981.9, 30.7), -- Mission Row
    vector3(1853.2, 3689.5, 34.3), -- Sandy Shores
}

local function tell(src, text)
    TriggerClientEvent('chat:addMessage', src, { args = { 'RADIO SHOP', text } })
end

-- The server knows where a player is; a client that says so itself may be lying.
local function atCounter(src)
    local ped = GetPlayerPed(src)
    if not ped or ped == 0 then
        return false
    end
    local at = GetEntityCoords(ped)
    for _, counter in ipairs(counters) do
        if #(at - counter) <= REACH then
            return true
        end
    end
    return false
end

RegisterCommand('buyradio', function(src)
    if src == 0 then
        return
    end
    local inventory = exports.ox_inventory
    if not atCounter(src) then
        return tell(src, 'There is no radio shop here.')
    elseif exports.radio:hasRadioAccess(src) and inventory:GetItemCount(src, 'radio') > 0 then
        return tell(src, 'Your radio works. Come back when it does not.')
    elseif inventory:GetItemCount(src, 'money') < PRICE then
        return tell(src, ('A radio is $%d.'):format(PRICE))
    elseif not inventory:CanCarryItem(src, 'radio', 1) then
        return tell(src, 'You cannot carry a radio.')
    end
    if inventory:RemoveItem(src, 'money', PRICE) then
        inventory:AddItem(src, 'radio', 1)
        exports.radio:refreshSubscriber(src) -- asks Config.radioAccessCheck again
        tell(src, 'Here you are. Over and out.')
    end
end, false)
