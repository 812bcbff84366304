local counts = {}
RegisterNetEvent('ox_inventory:itemCount', function(item, count) counts[item] = count end)
exports('GetItemCount', function(item) return counts[item] or 0 end)
