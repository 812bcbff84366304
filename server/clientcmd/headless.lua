-- The headless radio: client/radio.lua and the files beside it over a Go host. Runs
-- after client/exports.lua, in the same globals; host has Go's functions.

local host = host

Radio.version = host.version
Radio.now = host.now
Radio.log = host.log

-- The operator's file is written for the game. Here the script says what it wants.
RadioConfig.startsOn = true
RadioConfig.rememberChannel = false
RadioConfig.bgSirenCheck = nil

for name, fn in pairs(Radio.functions.client) do
    exports(name, fn)
end

Radio.start({ post = host.post, now = host.now, server = host.server })
Radio.receive('ready', {})

host.own({ receive = Radio.receive, net = Radio.net, tick = Radio.tick, stop = Radio.stop, config = RadioConfig })
