-- The radio that the command line's radios meet in tests.

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
            { name = "FIRE", type = "conventional", frequency = "460.250", allowedNacs = { "PD" } },
        },
    },
}

-- The radios of police officers: an emergency opens the microphone on FIRE.
Config.codeplugs = {
    { id = "patrol", radioModel = "APX 900", emergency = { revertFrequency = "460.25", hotMicMs = 1500 }, tones = { keyUp = "BEEP", busy = "BONK" } },
}
Config.jobCodeplugs = { { job = "PD", codeplug = "patrol" } }

Config.bonking = { blockTransmission = true }
-- Nobody's floor lapses, and nobody is timed out, because a busy machine was slow.
Config.talkLease = 60000
Config.resumeWindow = 60000
Config.webrtc = { udpPort = 0 }
