-- Drives the client's exports over a port that only notes what is posted. Loaded
-- after resource.ClientScripts' common files, before cases.lua; prints one line for
-- every call, the same in every Lua. Cases.run() returns how many checks there were,
-- and how many failed.

Cases = { list = {} }

RadioConfig.startsOn = true -- but where a case says otherwise

local unpack = table.unpack or unpack
local clock, posts, sent, checks, failed

-- show writes any value so that it is the same in Lua 5.1 and 5.4.
local function show(v)
    if v ~= v then return 'nan' end
    if type(v) == 'number' then return v == 1 / 0 and 'inf' or ('%.10g'):format(v) end
    if type(v) == 'string' then return "'" .. v .. "'" end
    if type(v) ~= 'table' then return type(v) == 'function' and 'function' or tostring(v) end
    local keys, out = {}, {}
    for k in pairs(v) do keys[#keys + 1] = k end
    table.sort(keys, function(a, b)
        if type(a) == type(b) then return a < b end
        return type(a) == 'number'
    end)
    for _, k in ipairs(keys) do
        out[#out + 1] = (type(k) == 'number' and ('%.10g'):format(k) or k) .. '=' .. show(v[k])
    end
    return '{' .. table.concat(out, ', ') .. '}'
end

local function check(ok, line)
    checks = checks + 1
    if not ok then
        failed = failed + 1
        print('FAILED ' .. line)
    end
end

local t = {}
t.show = show

-- matches says whether v has everything that want has.
local function matches(v, want)
    if type(want) ~= 'table' then return v == want end
    if type(v) ~= 'table' then return false end
    for k, w in pairs(want) do
        if not matches(v[k], w) then return false end
    end
    return true
end

function t.call(name, ...)
    local args = {}
    for i = 1, select('#', ...) do args[i] = show((select(i, ...))) end
    local fn = Radio.functions.client[name]
    local results = { pcall(fn, ...) }
    check(results[1], name .. ' throws ' .. tostring(results[2]))
    print('  ' .. name .. '(' .. table.concat(args, ', ') .. ') = ' .. show(results[2]))
    return results[2]
end

-- is calls an export and compares its answer.
function t.is(want, name, ...)
    local got = t.call(name, ...)
    check(show(got) == show(want), name .. ' is ' .. show(got) .. ', want ' .. show(want))
end

-- has is for tables of which only a part counts.
function t.has(want, name, ...)
    local got = t.call(name, ...)
    check(matches(got, want), name .. ' is ' .. show(got) .. ', want in it ' .. show(want))
end

-- posted wants a message like want among those posted since the last look.
local function found(list, want)
    for _, m in ipairs(list) do
        if matches(m, want) then return m end
    end
    return nil
end

function t.posted(want)
    local m = found(posts, want)
    check(m ~= nil, 'not posted: ' .. show(want) .. ' in ' .. show(posts))
    return m or {}
end

function t.count(n, want)
    local at = 0
    for _, m in ipairs(posts) do
        if matches(m, want) then at = at + 1 end
    end
    check(at == n, ('posted %d times, want %d: %s'):format(at, n, show(want)))
end

function t.silent(want) t.count(0, want) end

-- server wants a net event to the game server.
function t.server(name, want)
    check(found(sent, { name = name, data = want }) ~= nil, 'not sent: ' .. name .. ' ' .. show(want) .. ' in ' .. show(sent))
end

function t.forget() posts, sent = {}, {} end
function t.host(name, data) return Radio.receive(name, data) end
function t.net(name, data) Radio.net(name, data) end
function t.event(name, payload) Radio.receive('event', { name = name, payload = payload }) end

-- pass lets time pass, with the ticks of a host.
function t.pass(ms)
    for _ = 1, math.ceil(ms / 50) do
        clock = clock + 50
        Radio.tick()
    end
end

-- self is the service's record of this user, with changes.
local own

function t.self(changes)
    for k, v in pairs(changes or {}) do
        if v == t.none then own[k] = nil else own[k] = v end
    end
    local copy = {}
    for k, v in pairs(own) do copy[k] = v end
    t.event('self', copy)
end

t.none = {}

local function channel(name, frequency, more)
    local c = { id = frequency, name = name, frequency = frequency, type = 'conventional', canTransmit = true, users = {}, listeners = 0 }
    for k, v in pairs(more or {}) do c[k] = v end
    return c
end

t.config = {
    zones = {
        { id = 'zone-1', name = 'County', channels = { channel('DISP', '154.755'), channel('FIRE', '460.25'), channel('CMD', '463', { canTransmit = false }) } },
        { id = 'zone-2', name = 'Empty', channels = {} },
        { id = 'zone-3', name = 'City', channels = { channel('CITY 1', '155.1'), channel('TALK', '856.1', { type = 'trunked' }) } },
    },
    tones = { { name = 'BEEP', file = 'b' }, { name = 'BONK', file = 'k' }, { name = 'ALERT_A', file = 'a' } },
    volumes = { voiceVolume = 60, sfxVolume = 40, default3DVolume = 50, volumeStep = 5 },
    bonking = { blockTransmission = true, playBonkTone = true, bonkInterval = 750 },
    pttReleaseDelay = 350, serverName = 'County', version = '5.7.0',
}

-- fresh is a radio whose page listens, without a connection.
function t.fresh(settings)
    clock, posts, sent = 1000000, {}, {}
    own = { serverId = 12, name = 'Ann', nacId = 'PD', unitId = '1-A-12', listening = {}, alerts = {}, panic = {} }
    Radio.start({
        post = function(msg) posts[#posts + 1] = msg end,
        now = function() return clock end,
        server = function(name, data) sent[#sent + 1] = { name = name, data = data } end,
    })
    t.host('ready', { version = 'test', settings = settings })
end

-- connected is one with a connection, tuned to 154.755 unless said otherwise.
function t.connected(changes, settings)
    t.fresh(settings)
    t.net('link', { serverId = 12, path = 'socket', url = 'wss://radio.test', token = 'secret' })
    t.host('connection', { connected = true, path = 'socket', rtt = 20 })
    t.event('configUpdate', t.config)
    own.channel, own.zone = '154.755', 'County'
    t.self(changes)
    t.pass(1000)
    t.forget()
end

-- case is one story; about names the exports that it tells of.
function Cases.case(about, title, run)
    Cases.list[#Cases.list + 1] = { about = about, title = title, run = run }
end

local wrong = { {}, function() end, 0 / 0, '', false, -1, 'no such thing', ('9'):rep(1000), 1 / 0 }
local right = { frequency = '154.755', text = '1', boolean = true, volume = 0.5 }

-- every calls each export of the table without a connection, and with wrong
-- arguments of every kind: it never throws, and a wrong argument is the failure
-- value.
local function every()
    for _, entry in ipairs(Radio.exports.client) do
        print(entry.name .. ': disconnected, then wrong arguments')
        t.fresh()
        local args = {}
        for i, p in ipairs(entry.params) do args[i] = right[p[2]] end
        t.call(entry.name, unpack(args, 1, #entry.params))
        t.connected()
        for i, p in ipairs(entry.params) do
            for _, v in ipairs(wrong) do
                args[i] = v
                local got = t.call(entry.name, unpack(args, 1, #entry.params))
                if Radio.convert[p[2]](v) == nil then
                    check(show(got) == show(entry.failure), entry.name .. '(' .. show(v) .. ') is ' .. show(got) .. ', want ' .. show(entry.failure))
                end
            end
            args[i] = right[p[2]]
        end
        t.call(entry.name, unpack(args, 1, #entry.params))
        t.call(entry.name, nil, nil, nil)
        t.call(entry.name, 1, 2, 3, 4, 5)
        t.pass(1000)
    end
end

function Cases.run()
    checks, failed = 0, 0
    local told, config = {}, {}
    for k, v in pairs(RadioConfig) do config[k] = v end
    for _, c in ipairs(Cases.list) do
        print(c.title)
        for name in c.about:gmatch('%S+') do told[name] = true end
        local before = checks
        t.fresh()
        local ok, why = pcall(c.run, t)
        check(ok, c.title .. ': ' .. tostring(why))
        check(checks > before + 1, c.title .. ': nothing was checked')
        for k in pairs(RadioConfig) do RadioConfig[k] = nil end
        for k, v in pairs(config) do RadioConfig[k] = v end
        Radio.sirenState = nil
    end
    for _, entry in ipairs(Radio.exports.client) do
        check(told[entry.name], 'no case tells of ' .. entry.name)
    end
    every()
    print(('%d checks, %d failed'):format(checks, failed))
    return checks, failed
end
