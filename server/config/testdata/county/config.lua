/* County server: written for the game's own Lua 5.4,
   with lower-case "channels". */
local police <const> = { 'LSPD', "BCSO" }
local QBCore = exports['qb-core']:GetCoreObject()

Config = Config or {}
Config.locale = GetConvar('radio_locale', 'en')
Config.debug = false
Config.VoiceVolume = 70
Config.voiceVolume = 40
Config.voiceVolume += 10 * 2 -- louder
Config.spawn = vector3(1.0, 2.0, 3.0)
Config.model = `adder`
Config.label = "Caf\xC3\xA9 \u{2713} \z
               one line"
Config.zones = {}

local function channel(name, mhz)
    return { name = name .. " " .. mhz, type = "conventional", frequency = mhz, allowedNacs = police }
end

if GetResourceState('qb-core') != 'started' then
    Config.serverName = "County" .. " " .. 9
end

table.insert(Config.zones, { name = "Sandy", channels = { channel("BCSO", "460.250") } })
Config.zones[#Config.zones + 1] = {
    name = "Paleto",
    channels = {
        { name = "P25", frequency = "460.4", type = "digital", frequnecy = 1 },
        { frequency = "461.0", encryption = { key = 7 } },
    },
}
for i = 1, 3 do
    table.insert(Config.zones[1].channels, channel("TAC " .. i, 460 + i / 8))
end

function Config.radioAccessCheck(serverId)
    if serverId == 13 then return false end
    if serverId == 66 then while true do end end
    if serverId == 77 then return QBCore.Functions.GetPlayer(serverId) end
    if serverId == 88 then error("no such player") end
    return serverId ~= 14 and "yes"
end

Config.getUserNacId = function(id)
    local police = IsPlayerAceAllowed(id, 'radio.nac.police')
    return police and 141.0 or nil
end

Config.getPlayerName = function(id)
    calls = (calls or 0) + 1
    if id <= 0 then return nil end
    return ("%s #%d"):format(GetPlayerName(id) or "?", calls)
end

Config.batteryTick = function(level, dt) return level - dt * 0.5 end

RegisterNetEvent('radio:ready')
AddEventHandler('radio:ready', function() end)
print('county config', 1, nil)
