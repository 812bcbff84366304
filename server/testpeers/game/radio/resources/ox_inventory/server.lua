local items = {} -- player -> item -> count

exports('GetItemCount', function(src, item)
    local mine = items[tonumber(src)]
    return mine and mine[item] or 0
end)

exports('AddItem', function(src, item, count)
    src = tonumber(src)
    items[src] = items[src] or {}
    items[src][item] = (items[src][item] or 0) + count
    TriggerClientEvent('ox_inventory:itemCount', src, item, items[src][item])
    return true
end)
