RegisterNetEvent('radio_shop:buy', function()
    local src = source
    if exports.ox_inventory:GetItemCount(src, 'radio') > 0 then
        TriggerClientEvent('radio_shop:said', src, 'You have one already')
        return
    end
    exports.ox_inventory:AddItem(src, 'radio', 1)
    exports.radio:refreshSubscriber(src) -- who has one now gets access
    exports.radio:playToneOnSource(src, 'CHIRP')
    TriggerClientEvent('radio_shop:said', src, 'Here is your radio')
end)
