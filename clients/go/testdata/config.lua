-- The radio that the tests of clients/go drive.

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
        },
    },
}

Config.alerts = {
    { name = "SIGNAL 100", color = "#d01c1c", isPersistent = true, tones = { activate = "ALERT_A" } },
}

-- Nobody's floor lapses because a busy machine was slow.
Config.talkLease = 60000
Config.resumeWindow = 60000
Config.webrtc = { udpPort = 0 }
Config.limits = { restPerSecond = 10000, restBurst = 10000, pingInterval = 20000, pingTimeout = 20000 }
