-- Units with GPS on the game's map. The service sends the whole map that this player
-- may see, whenever it changes; a unit that is no longer on it loses its blip. GTA V only:
-- blips of RedM cannot have a colour of one's own.

if Radio.redm then return end

local blips = {} -- by server id

-- colour is what the map wants for '#rrggbb': 0xRRGGBBAA; without one it is blue (3).
local function colour(text)
    local rgb = type(text) == 'string' and text:match('^#(%x%x%x%x%x%x)$')
    return rgb and tonumber(rgb .. 'ff', 16) or 3
end

local function remove(id)
    if DoesBlipExist(blips[id].blip) then RemoveBlip(blips[id].blip) end
    blips[id] = nil
end

local function label(unit)
    local known = Radio.state.names[unit.serverId] or {}
    return known.unitId or known.name or ('Unit %d'):format(unit.serverId)
end

local function place(unit)
    local b = blips[unit.serverId]
    if b == nil or not DoesBlipExist(b.blip) then
        b = { blip = AddBlipForCoord(unit.x, unit.y, unit.z) }
        blips[unit.serverId] = b
        SetBlipSprite(b.blip, 1)
        SetBlipScale(b.blip, 0.8)
        SetBlipAsShortRange(b.blip, true)
        SetBlipCategory(b.blip, 7)
    else
        SetBlipCoords(b.blip, unit.x, unit.y, unit.z)
    end
    if b.colour ~= unit.color then
        b.colour = unit.color
        SetBlipColour(b.blip, colour(unit.color))
    end
    local name = label(unit)
    if b.name ~= name then
        b.name = name
        BeginTextCommandSetBlipName('STRING')
        AddTextComponentSubstringPlayerName(name)
        EndTextCommandSetBlipName(b.blip)
    end
end

local function clear()
    for id in pairs(blips) do remove(id) end
end

Radio.on('gps', function(units)
    local me = Radio.state.self and Radio.state.self.serverId
    local there = {}
    for _, unit in ipairs(units) do
        if unit.serverId ~= me and type(unit.x) == 'number' and type(unit.y) == 'number' then
            unit.x, unit.y, unit.z = unit.x + 0.0, unit.y + 0.0, (tonumber(unit.z) or 0) + 0.0
            there[unit.serverId] = true
            place(unit)
        end
    end
    for id in pairs(blips) do
        if not there[id] then remove(id) end
    end
end)

AddEventHandler('onResourceStop', function(name)
    if name == GetCurrentResourceName() then clear() end
end)
