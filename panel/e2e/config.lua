-- The radio of the panel's browser tests.
Config = {}
Config.serverName = "County"
Config.authToken = "master-token-of-the-browser-tests"
Config.dispatchNacId = "desk-of-the-browser-tests"
Config.adminPassword = "admin-of-the-browser-tests"
Config.webrtc = { udpPort = 0 }
Config.zones = {
    { name = "North", Channels = {
        { name = "MAIN", type = "conventional", frequency = "154.755" },
        { name = "TAC", type = "conventional", frequency = "154.815" },
        { name = "STATE", type = "digital", frequency = "460.250" },
    } },
    { name = "South", Channels = {
        { name = "FIRE", type = "conventional", frequency = "154.280" },
        { name = "TRUNK", type = "trunked", frequency = "856.1125", frequencyRange = { 856.1125, 857.1125 }, coverage = 1500 },
    } },
}
Config.alerts = {
    { name = "SIGNAL 100", color = "#d01c1c", isPersistent = true, tones = { activate = "ALERT_A" }, deactivateLabel = "CLEAR 100" },
    { name = "Ping", color = "#0049d1", isPersistent = false, tones = { activate = "CHIRP" } },
    { name = "Boop", toneOnly = true, tone = "BEEP" },
}
Config.announcementGroups = {
    { id = "all", name = "Everybody", frequencies = { "154.755", "154.280" } },
}
Config.panicTimeout = 0
