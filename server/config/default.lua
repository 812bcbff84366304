-- Squelch: the configuration of a demo radio, and an example for your own.
--
-- The service uses this file when it is started without --config. To make your
-- own, copy it, change it, and start "squelch serve --config config.lua". All
-- times are milliseconds, all volumes 0 to 100. Everything may be left out.

Config = {}

-- The service ---------------------------------------------------------------

Config.serverName = "Squelch Demo"
Config.resourceName = "radio" -- the name in exports['radio'] and of the ACE objects radio.connect…
Config.serverPort = 7777      -- REST, Socket.IO and the dispatch panel
Config.serverAddress = ""     -- "https://radio.example.org" behind a proxy

-- Secrets. If left out, they are generated on the first start, which is best.
-- Config.authToken = "…"     -- master token of game server, bots and CAD
-- Config.dispatchNacId = "…" -- what dispatchers log in with
-- Config.adminPassword = "…" -- login of /admin

-- Login through Discord (or any OAuth 2 provider). It needs serverAddress when
-- the radio listens on more than this machine. Bots and CAD systems go on using
-- the NAC id, unless discord.only = true closes that login.
-- Config.useDiscordAuth = true
-- Config.discord = { clientId = "…", clientSecret = "…", guildId = "…", allowedRoles = { "…" } }

-- Voice over WebRTC uses one UDP port: udpPort if it is set, else 7778 or, if that is
-- in use and only this machine is served, the next free one. publicAddress is what
-- browsers can reach, where that is not an address of this machine: an IP address, a
-- host name (looked up again every five minutes), or a list such as
-- { "203.0.113.5", "192.168.1.10" }, outside and inside of a router. engine = "pion"
-- has pion carry the connections, as it did before; this will go.
Config.webrtc = { tcpPort = 0, publicAddress = "" } -- udpPort = 7778
-- Config.tls = { cert = "cert.pem", key = "key.pem" } -- or { auto = "radio.example.org" }; hsts = true
--     makes browsers refuse plain HTTP for a year, on every port of this host
-- Config.trustedProxies = { "127.0.0.1", "10.0.0.0/8" }
-- Config.limits = { failedLogins = 10, restPerSecond = 50, loginsPerSecond = 5, reauthsPerSecond = 1, sessionsPerLogin = 16 }

-- Other radios of this host, each with a configuration of its own (handbook/many-radios.md):
-- files by name, or a folder of NAME.lua and NAME/config.lua. They are at /r/NAME/, or at hosts.
-- Config.radios = { county = "county.lua", city = { file = "city/config.lua", hosts = { "city.example.org" } } }

-- Themes: default is the look of those who have chosen none. marketplace is the index of
-- themes that somebody offers on a web server ("squelch theme pack" makes one); with it,
-- the administration lists them, and installs one after you have reviewed it.
-- Config.themes = { default = "night-shift", marketplace = "https://themes.example.org/index.json" }

-- The recorder is off unless this is given. It records everything (all = true), or the
-- zones and channels that are named; a recording is kept for days, and as long as its
-- channel has room for it (channelBytes). Recording people is governed by law in most
-- places: tell your players. limits.recordingBytes bounds all recordings together.
-- Config.recording = { zones = { "Los Santos" }, channels = { "154.785" }, days = 30, channelBytes = 2 * 1024^3,
--     retention = { ["154.755"] = { days = 7 } }, folder = "/mnt/recordings", freeBytes = 512 * 1024^2 }

-- Transcripts: each recording goes to a program or a web service of yours, which answers
-- what is said in it (handbook/transcripts.md). This is for whisper.cpp's server.
-- Config.transcriber = { url = "http://127.0.0.1:8080/inference", fields = { response_format = "json", language = "en" } }

-- Several machines share this radio: each runs this program with the same cluster and secret
-- and a name of its own (handbook/cluster.md). The port, 7790, is for the nodes only.
-- Config.cluster = { name = "county", node = "n1", routes = { "10.0.0.1:7790", "10.0.0.2:7790", "10.0.0.3:7790" },
--     url = "https://a.example.org", secret = "…" } -- made with: openssl rand -hex 32; or SQUELCH_CLUSTER_SECRET

-- Webhooks tell other services what happens here: each is sent its events in order, signed
-- with its secret, again and again until the receiver takes them (handbook/webhooks.md).
-- template is "json", "discord" or your own, such as "cad.tmpl" beside this file.
-- Config.webhooks = {
--     { name = "cad", url = "https://cad.example.org/squelch", events = "all", zones = { "Los Santos" },
--       secret = "…" }, -- made with: openssl rand -hex 32
--     { name = "alarms", url = "https://discord.com/api/webhooks/…", events = { "alert", "panic", "acknowledged" },
--       template = "discord", secret = "…" },
--     { name = "bot", url = "http://10.0.0.5:9000/", private = { "10.0.0.5" }, events = { "transmission" }, secret = "…" },
-- }

-- Callsigns -----------------------------------------------------------------

Config.useCallsignSystem = true
Config.callsign = { minLength = 1, maxLength = 32 } -- pattern = "^%d[A-Z]%-%d+$" would ask for 4A-12

-- Zones and channels --------------------------------------------------------
-- type: conventional, trunked (a talkgroup: units are spread over the working
-- frequencies of frequencyRange; members within coverage metres share one), or
-- digital (P25 sound). allowedNacs may talk and listen, scanAllowedNacs may
-- listen; without allowedNacs everybody who sees the zone may. The ACE entries of
-- permissions.cfg add to that.

Config.zones = {
    {
        name = "Los Santos",
        Channels = {
            { name = "LSPD DISP", type = "conventional", frequency = "154.755",
              allowedNacs = { "LSPD", "BCSO" }, scanAllowedNacs = { "LSFD", "EMS" },
              gps = { color = "#3b82f6", visibleToNacs = { "LSPD", "BCSO" } } },
            { name = "LSPD TAC 1", type = "conventional", frequency = "154.815",
              allowedNacs = { "LSPD", "BCSO" } },
            { name = "LSPD TRUNK", type = "trunked", frequency = "856.1125",
              frequencyRange = { 856.1125, 859.8625 }, coverage = 1500,
              allowedNacs = { "LSPD" }, gps = { color = "#60a5fa", visibleToNacs = { "LSPD" } } },
        },
    },
    {
        name = "Blaine County",
        Channels = {
            { name = "BCSO DISP", type = "digital", frequency = "460.250",
              allowedNacs = { "BCSO", "LSPD" }, gps = { color = "#a16207", visibleToNacs = { "BCSO", "LSPD" } } },
            { name = "BCSO TAC", type = "digital", frequency = "460.400", allowedNacs = { "BCSO" } },
            { name = "PARKS", type = "conventional", frequency = "151.415", allowedNacs = { "PARKS", "BCSO" } },
        },
    },
    {
        name = "Fire and Rescue",
        Channels = {
            { name = "FIRE DISP", type = "conventional", frequency = "154.280",
              allowedNacs = { "LSFD", "EMS" }, scanAllowedNacs = { "LSPD", "BCSO" },
              gps = { color = "#dc2626", visibleToNacs = { "LSFD", "EMS" } } },
            { name = "FIREGROUND", type = "conventional", frequency = "153.830", allowedNacs = { "LSFD" } },
            { name = "EMS DISP", type = "digital", frequency = "463.000", allowedNacs = { "EMS", "LSFD" } },
        },
    },
    {
        name = "Interop",
        Channels = {
            { name = "CALLING", type = "conventional", frequency = "155.7525",
              allowedNacs = { "LSPD", "BCSO", "LSFD", "EMS", "PARKS" } },
            { name = "STATEWIDE", type = "trunked", frequency = "769.40625",
              frequencyRange = { 769.40625, 774.99375 }, coverage = 3000,
              allowedNacs = { "LSPD", "BCSO", "LSFD", "EMS", "PARKS" } },
        },
    },
}

-- Alerts: the first one is what an alert button without a name raises. Keys
-- that the service does not know are passed on to panels and themes as they are.

Config.alerts = {
    { name = "SIGNAL 100", color = "#d01c1c", isPersistent = true,
      tones = { activate = "ALERT_A", ["repeat"] = "BEEP", deactivate = "BEEP" },
      repeatInterval = 30, repeatShowBanner = false,
      deactivateLabel = "CLEAR SIGNAL 100", deactivateColor = "#126300" },
    { name = "SIGNAL 3", color = "#d97706", isPersistent = true,
      tones = { activate = "ALERT_B", deactivate = "BEEP" },
      deactivateLabel = "CLEAR SIGNAL 3", deactivateColor = "#126300" },
    { name = "Ping", color = "#0049d1", isPersistent = false, tones = { activate = "CHIRP" } },
    { name = "Boop", toneOnly = true, tone = "BEEP" },
}

-- Tones: name = "file.wav" in the tones folder beside this file. The built-in
-- ones need no files: ALERT_A, ALERT_B, BONK, PANIC, BEEP, CHIRP.

Config.tones = {}

-- Talking -------------------------------------------------------------------

Config.bonking = { blockTransmission = true, playBonkTone = true, bonkInterval = 750, playerOverride = true }
Config.pttReleaseDelay = 350
Config.timeoutTimer = 60000 -- players only; 0 is off
Config.talkLease = 2000
Config.resumeWindow = 30000 -- a lost connection keeps its place this long
Config.panicTimeout = 60000 -- 0 is never

Config.voiceVolume = 50
Config.sfxVolume = 50
Config.default3DVolume = 50
Config.volumeStep = 5
Config.audio3DRange = 25 -- metres within which a radio is overheard
-- Without Config.signal everybody hears everybody equally well, wherever they are. With
-- it, voice gets weaker with distance (the game server sends positions): by way of
-- repeater sites, if there are any, else from radio to radio. A signal reaches as far as
-- the site's range, else the channel's coverage, else range (metres). noise and dropouts
-- (0-100) are how much noise and how many gaps a weak signal has.
-- Config.signal = { range = 4000, noise = 50, dropouts = 50,
--     sites = { { x = 450, y = 5566, z = 796, range = 6000 }, { x = -75, y = -818, z = 326, range = 4000 } } }
Config.radioFx = { conventional = 50, trunked = 35, digital = 20 }

-- Channels that one button keys together ------------------------------------

Config.announcementGroups = {
    { id = "all-dispatch", name = "All dispatch", frequencies = { "154.755", "460.250", "154.280", "463.000" } },
    { id = "law", name = "Law enforcement", frequencies = { "154.755", "460.250", "151.415" } },
}

-- Radios: what is programmed into them, and who gets which ------------------

Config.codeplugs = {
    { id = "patrol", nac = 0x293, radioModel = "APX8000", zones = { 1, 2, 4 },
      features = { scan = true, gps = true, panic = true },
      tones = { keyUp = "CHIRP", busy = "BONK" },
      emergency = { revertFrequency = "155.7525", hotMicMs = 10000 }, announcementVolume = 0.8 },
    { id = "rescue", nac = 0x1F5, radioModel = "APX6000", zones = { 3, 4 },
      tones = { keyUp = "BEEP", busy = "BONK" }, emergency = { revertFrequency = "154.280", hotMicMs = 10000 } },
}

Config.jobCodeplugs = { LSPD = "patrol", BCSO = "patrol", LSFD = "rescue", EMS = "rescue" }

-- Your own rules. Each call may take 100 ms; an error counts as "no".
-- Config.radioAccessCheck = function(serverId) return true end
-- Config.getUserNacId = function(serverId) return "LSPD" end
-- Config.getPlayerName = function(serverId) return nil end -- nil: the registered name
