RegisterNetEvent('radio_shop:said', function(text)
    print(text)
    if exports.ox_inventory:GetItemCount('radio') > 0 then
        exports.radio:setPower(true)
        exports.radio:setVolume(0.8)
        print('volume', exports.radio:getVolume(), exports.radio:isPowerOn())
    end
end)
RegisterCommand('buyradio', function() TriggerServerEvent('radio_shop:buy') end, false)
