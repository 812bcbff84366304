-- ox_inventory: only who carries a radio may use one. The service asks
-- Config.radioAccessCheck in its config.lua:
--
--     Config.radioAccessCheck = function(serverId)
--         return exports.ox_inventory:GetItemCount(serverId, 'radio') > 0
--     end
--
-- It is asked when a player joins; this script has it asked again when a player's radio
-- comes or goes. The client only says "look again": what it carries is counted here.

local wait = {} -- player -> when it may ask again

RegisterNetEvent('radio-item:changed', function()
    local src = source
    local now = GetGameTimer()
    if wait[src] and now < wait[src] then
        return
    end
    wait[src] = now + 1000
    local carries = exports.ox_inventory:GetItemCount(src, 'radio') > 0
    if carries ~= exports.radio:hasRadioAccess(src) then
        exports.radio:refreshSubscriber(src)
    end
end)

AddEventHandler('playerDropped', function()
    wait[source] = nil
end)
