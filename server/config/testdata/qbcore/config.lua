-- A QBCore city: job names are NAC ids, and the framework answers the callbacks.
Config = {}

local QBCore = exports['qb-core']:GetCoreObject()

Config.serverPort = 7781
Config.authToken = "qb-city-master-token-4711"
Config.dispatchNacId = "911-qb-city"
Config.adminPassword = "correct horse battery"
Config.useDiscordAuth = false
Config.useCallsignSystem = true
Config.logLevel = 3

local POLICE = { "police", "sheriff", 141 }
local FIRE   = { 'fire', 'ambulance', 200 }

Config.zones = {
    [1] = {
        name = "City Police",
        Channels = {
            [1] = { name = "PD DISP", type = "conventional", frequency = 154.755, allowedNacs = POLICE, scanAllowedNacs = FIRE,
                    gps = { color = 3, visibleToNacs = { "police", 141 } } },
            [2] = { name = "PD TAC 1", type = "conventional", frequency = 154.785, allowedNacs = POLICE, scanAllowedNacs = {} },
            [3] = { name = "PD TAC 2", type = "conventional", frequency = "154.815", allowedNacs = POLICE },
            [4] = { name = "PD CAR", type = "trunked", frequency = 856.1125, frequencyRange = { 856.000, 859.000 }, coverage = 500,
                    allowedNacs = { "police", 141 } },
        },
    },
    [2] = {
        name = "County",
        nacIds = { "sheriff", 142, 143 },
        Channels = {
            [1] = { name = "SO DISP", type = "digital", frequency = 460.25, allowedNacs = { "sheriff", 142 }, scanAllowedNacs = { "police" } },
            [2] = { name = "SO TAC", type = "digital", frequency = 460.400, allowedNacs = { "sheriff" } },
            [3] = { name = "PARKS", type = "conventional", frequency = 151.415, allowedNacs = { 142, "ranger" } },
            [4] = { name = "SO TRUNK", type = "trunked", frequency = 868.5, frequencyRange = { 868.5, 869.5 }, coverage = 1200, allowedNacs = { "sheriff" } },
        },
    },
    [3] = {
        name = "Fire and EMS",
        Channels = {
            [1] = { name = "FIRE DISP", type = "conventional", frequency = 154.280, allowedNacs = FIRE, scanAllowedNacs = POLICE },
            [2] = { name = "FIREGROUND", type = "conventional", frequency = 153.83, allowedNacs = FIRE },
            [3] = { name = "EMS", type = "digital", frequency = 463.0, allowedNacs = { "ambulance", 201 } },
            [4] = { name = "HOSPITAL", type = "conventional", frequency = 155.34, allowedNacs = { "ambulance", 201, 202 } },
        },
    },
}

Config.alerts = {
    [1] = { name = "SIGNAL 100", color = "#d01c1c", isPersistent = true, tones = { activate = "ALERT_A", deactivate = "ALERT_B", ["repeat"] = "BEEP" },
            repeatInterval = 10000, repeatShowBanner = true, deactivateLabel = "10-22", deactivateColor = "#126300" },
    [2] = { name = "SIGNAL 3", color = "#0049d1", isPersistent = true, tones = { activate = "ALERT_A" } },
    [3] = { name = "Ping", color = "#049b7b", tone = { activate = "CHIRP" } },
    [4] = { name = "Boop", color = "#1c4ba3", toneOnly = true, tone = "BEEP" },
}

Config.bonking = { blockTransmission = true, playBonkTone = true, bonkInterval = 750 }
Config.voiceVolume, Config.sfxVolume, Config.volumeStep = 65, 20, 5

Config.radioAccessCheck = function(playerId)
    if not playerId or playerId <= 0 then return true end
    local Player = QBCore.Functions.GetPlayer(playerId)
    if not Player then return false end
    return exports.ox_inventory:GetItemCount(playerId, 'radio') > 0
end

Config.getUserNacId = function(serverId)
    local Player = QBCore.Functions.GetPlayer(serverId)
    if not Player or not Player.PlayerData.job.onduty then return nil end
    return Player.PlayerData.job.name
end

Config.getPlayerName = function(serverId)
    if not serverId then return "DISPATCH" end
    if serverId <= 0 then return "DISPATCH" end
    local Player = QBCore.Functions.GetPlayer(serverId)
    local c = Player and Player.PlayerData.charinfo
    return c and ("%s. %s"):format(c.firstname:sub(1, 1), c.lastname) or GetPlayerName(serverId)
end

Config.talkCheck = function()
    return not exports['qb-ambulance']:isDead()
end

Config.batteryTick = function(current, dt)
    return math.max(0.0, current - 0.1 * dt)
end

Config.bgSirenCheck = function(lightsOn) return lightsOn end
