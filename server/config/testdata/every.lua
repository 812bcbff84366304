-- Every key that the configuration of the older product has, as far as it is known.
Config = {
    serverPort = 7777, serverAddress = "https://radio.example.org", authToken = "a-long-random-master-token",
    dispatchNacId = "DESK-4711", adminPassword = "a good password", useDiscordAuth = false,
    discord = { clientId = "1", clientSecret = "a-secret", guildId = "2", allowedRoles = { "3" } },
    useCallsignSystem = true, callsign = { minLength = 1, maxLength = 32, pattern = "^%d+$" },
    serverName = "County", resourceName = "radio", logLevel = 3,
    voiceVolume = 50, sfxVolume = 50, default3DVolume = 50, volumeStep = 5,
    panicTimeout = 60000, pttReleaseDelay = 350, timeoutTimer = 60000, talkLease = 2000, resumeWindow = 30000,
    audio3DRange = 25, trustedProxies = { "10.0.0.0/8" }, limits = { users = 100 },
    webrtc = { udpPort = 7778, tcpPort = 0, publicAddress = "" },
    checkForUpdates = true, healthCheck = true, license = "1234", licenseKey = "1234", framework = "qb",
    controls = { talkRadioKey = "B" },
}
Config.zones = { { name = "Law", nacIds = { 141 }, Channels = {
    { name = "TG", type = "trunked", frequency = 851.5, frequencyRange = { 852, 853 }, coverage = 500, allowedNacs = { 141 },
      scanAllowedNacs = { 200 }, gps = { color = 54, visibleToNacs = { 141 } } },
    { name = "DISP", type = "digital", frequency = 460.25 },
} } }
Config.alerts = { { name = "SIGNAL 100", color = "#d01c1c", isPersistent = true, tones = { activate = "ALERT_A", ["repeat"] = "BEEP", deactivate = "BEEP" },
    repeatInterval = 30, repeatShowBanner = true, deactivateLabel = "CLEAR", deactivateColor = "#126300" }, { name = "Boop", toneOnly = true, tone = "BEEP" } }
Config.tones = { BEEP = "BEEP.wav" }
Config.toneFolder = "sounds"
Config.bonking = { blockTransmission = true, playBonkTone = true, bonkInterval = 750 }
Config.radioFx = { conventional = 50 }
Config.announcementGroups = { { id = "all", name = "All", frequencies = { 460.25 } } }
Config.codeplugs = { { id = "patrol", unitId = "1", nac = 659, radioModel = "APX8000", zones = { 1 }, features = { scan = true, gps = true, panic = true, dispatch = false },
    tones = { keyUp = "BEEP", keyDown = "BEEP", busy = "BONK" }, emergency = { revertFrequency = 460.25, hotMicMs = 1000 }, announcementVolume = 0.8 } }
Config.jobCodeplugs = { police = "patrol" }
Config.radioAccessCheck = function(serverId) return true end
Config.getUserNacId = function(serverId) return "141" end
Config.getPlayerName = function(serverId) return "DISPATCH" end
Config.talkCheck = function() return true end
Config.batteryTick = function(level, dt) return level end
Config.bgSirenCheck = function(state) return false end
