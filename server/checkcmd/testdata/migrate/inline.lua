-- Everything in one local table that is returned, with loops and shared tables.
local zones = {}
local Config = {
    authToken = "changeme", dispatchNacId = "141", useCallsignSystem = true,
    callsign = { minLength = 2, maxLength = 8 }, zones = zones,
    alerts = {}, animations = { { name = "Shoulder" } }, framework = "esx",
}
for i = 1, 2 do
    zones[#zones + 1] = { name = "Zone " .. i, channels = { { name = "CH " .. i, frequency = 150 + i } } }
end
ESX = exports.es_extended:getSharedObject()
function Config.getUserNacId(id) return ESX.GetPlayerFromId(id).job.name end
return Config
