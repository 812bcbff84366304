-- City server: upper-case "Channels", NAC ids as numbers.
Config = {
    serverPort = "7780",
    serverName = "City Radio",
    authToken = "k3-long-secret",
    dispatchNacId = 911,
    adminPassword = "another secret",
    useCallsignSystem = true,
    callsign = { minLength = 2, maxLength = 8, pattern = "^%d%u?%-?%d+$" },
}

Config.zones = {
    [1] = {
        name = "Downtown",
        nacIds = { 141, "142", 143.0 },
        Channels = {
            { name = "PD 1", type = "conventional", frequency = 154.755, allowedNacs = { 141, 142 }, scanAllowedNacs = 200,
              gps = { color = 54, visibleToNacs = { 141 } } },
            nil,
            { name = "PD 2", frequency = "154.7550000", type = "conventional" },
            { name = "TG PD", type = "trunked", frequency = 856.1125, frequencyRange = { 856.1125, "857.1125" }, coverage = 500 },
        },
    },
    [3] = {
        name = "Harbour",
        Channels = {
            { name = "PORT", type = "digital", frequency = 154.76749999999998 },
        },
    },
}

Config.alerts = {
    {
        name = "SIGNAL 100", color = "#d01c1c", isPersistent = true,
        tones = { activate = "ALERT_A", deactivate = "ALERT_B" },
        toast = { title = "Hold traffic", seconds = 5, steps = { 1, 2, 3 } },
        onActivate = function() end,
    },
    { name = "Ping", isPersistent = false, tone = { activate = "CHIRP" } },
    { name = "Boop", toneOnly = true, tone = "BOOP" },
    { name = "Old", tones = "ALERT_B" },
}

Config.tones = {
    BOOP = "boop.ogg",
    ALERT_A = "siren.mp3",
}

Config.codeplugs = {
    swat = { nac = "$293", zones = 1, announcementVolume = 80, features = { dispatch = true, gps = false } },
    harbour = { nac = 501, zones = { 2 }, emergency = { revertFrequency = 154.755, hotMicMs = 5000 } },
}
Config.jobCodeplugs = { swat = "swat", [141] = "harbour" }

Config.announcementGroups = { { id = "all", name = "All", frequencies = { 154.755, "154.7675", "154.755" } } }
Config.trustedProxies = { "127.0.0.1", "10.1.2.3/8" }
Config.limits = { failedLogins = 3, lockOut = 60000, users = 128, loginsPerSecond = 50, loginBurst = 200, reauthsPerSecond = 2, reauthBurst = 30,
    masterReauthsPerSecond = 40, masterReauthBurst = 600, sessionsPerLogin = 8 }
Config.tls = { cert = "cert.pem", key = "/etc/key.pem" }
Config.radioFx = { digital = 0, hiss = { level = 30 } }
