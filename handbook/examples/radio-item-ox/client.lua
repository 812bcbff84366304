-- The first radio and the last one count; what lies between changes nothing.

local had

AddEventHandler('ox_inventory:itemCount', function(name, count)
    if name ~= 'radio' then
        return
    end
    local has = count > 0
    if has ~= had then
        had = has
        if not has then
            exports.radio:closeRadio()
            exports.radio:setPower(false)
        end
        TriggerServerEvent('radio-item:changed')
    end
end)
