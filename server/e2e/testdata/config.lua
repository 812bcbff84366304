-- The radio that the end-to-end tests drive. Tests append what they want
-- otherwise; the last line wins.

Config = {}

Config.serverName = "County"
Config.authToken = "master-token-of-the-county"
Config.dispatchNacId = "D-911"
Config.adminPassword = "county-admin"

Config.zones = {
    {
        name = "County",
        Channels = {
            { name = "DISP", type = "conventional", frequency = "154.755", allowedNacs = { "PD" } },
            { name = "TAC", type = "conventional", frequency = "154.810", allowedNacs = { "PD" } },
            { name = "FIRE", type = "conventional", frequency = "460.250", allowedNacs = { "PD" } },
            { name = "P25", type = "digital", frequency = "463.000", allowedNacs = { "PD" } },
            { name = "TRUNK", type = "trunked", frequency = "856.1125",
              frequencyRange = { 856.1125, 856.3125 }, coverage = 1500, allowedNacs = { "PD" } },
        },
    },
}

Config.alerts = {
    { name = "SIGNAL 100", color = "#d01c1c", isPersistent = true, tones = { activate = "ALERT_A" } },
    { name = "Ping", color = "#0049d1", isPersistent = false, tones = { activate = "CHIRP" } },
}

Config.useCallsignSystem = true
Config.panicTimeout = 0
-- Nobody's floor lapses because a busy machine was slow.
Config.talkLease = 60000
Config.resumeWindow = 60000
Config.webrtc = { udpPort = 0 }
Config.limits = { restPerSecond = 10000, restBurst = 10000, loginsPerSecond = 10000, loginBurst = 10000, reauthsPerSecond = 10000, reauthBurst = 10000,
    pingInterval = 20000, pingTimeout = 20000 }
