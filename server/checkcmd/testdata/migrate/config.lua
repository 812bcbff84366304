-- A configuration as operators of the older product have it.
Config = {
    serverAddress = "https://radio.example.org/",
    serverPort = "7777", -- text, as some write it
    authToken = "a-long-master-token-of-the-old-service",
    dispatchNacId = "DESK-4711",
    checkForUpdates = true,
    healthCheck = true,
    logLevel = 3,
    useDiscordAuth = false,
}

Config.controls = { talkRadioKey = "B", toggleRadioKey = "F6" }

--[[ The county's departments ]]
local LAW = { 141, "142" }

Config.zones = {
    [1] = {
        name = "Law",
        nacIds = LAW,
        Channels = {
            [1] = { name = "DISP", type = "conventional", frequency = "154.750", allowedNacs = LAW, scanAllowedNacs = { 200 },
                    gps = { color = 54, visibleToNacs = LAW } },
            [2] = { name = "TRUNK", frequency = 856.1125, frequencyRange = { 856.000, 859.000 }, coverage = 500 },
            [3] = { name = "TAC", type = "digital", frequency = 460.25, allowedNac = { 141 } },
        },
    },
    [3] = { name = "Fire", Channels = { { name = "FIRE", type = "conventional", frequency = "154.28" } } },
}

Config.alerts = {
    { name = "SIGNAL 100", color = "#d01c1c", isPersistent = true, tones = { activate = "ALERT_A" } },
    { name = "Ping", color = "#0049d1", tone = { activate = "CHIRP" } },
}
Config.tones = { SIREN = "siren.wav" }
Config.bonking = { blockTransmission = true, playBonkTone = true }
Config.voiceVolume = 65
Config.radioFx = { conventional = true, digital = 20 }
Config.codeplugs = { { id = "patrol", nac = "0x293", announcementVolume = 80 } }
Config.jobCodeplugs = { police = "patrol" }
Config.model = `prop_cs_hand_radio`
Config.volumeSteps = 5

local QBCore = exports['qb-core']:GetCoreObject()

Config.getUserNacId = function(serverId)
    local player = QBCore.Functions.GetPlayer(serverId)
    return player and player.PlayerData.job.name
end

function Config.radioAccessCheck(serverId) return serverId > 0 end
Config.getPlayerName = function(serverId) return GetPlayerName(serverId) end
Config.talkCheck = function() return not IsPlayerDead(PlayerId()) end
Config.batteryTick = function(level, dt) return level - 0.1 * dt end
Config.bgSirenCheck = function(lightsOn) return lightsOn end
Config.onOpen = function() end
