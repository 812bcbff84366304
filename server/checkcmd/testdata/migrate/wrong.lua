Config.serverPort = 77777
Config.sfxVolume = 150
Config.zones = {
    { name = "A", Channels = { { name = "X", frequency = "channel one" }, { name = "Y", frequency = 155.1 } } },
}
Config.getUserNacId = function(id) return {} end
