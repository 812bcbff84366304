-- The handheld: its state, what drives it, and the port to whatever carries it (the
-- page in the game, a program elsewhere). It holds no rule of the radio: it asks
-- the service and shows the answer.
--
-- Common subset of Lua 5.1 and 5.4. Nothing in these files waits or yields.

local Radio = Radio

-- Milliseconds, unless said otherwise.
Radio.limits = {
    siren = 500,      -- between two polls of the siren (the interface's own figure)
    talkCheck = 500,  -- between two questions whether a talking player still may
    battery = 1000,   -- between two steps of the battery
    view = 50,        -- between two pictures of the handheld
    report = 250,     -- between two reports to the service: a knob that turns is one
    save = 500,       -- between two savings of the settings
    notice = 5000,    -- how long a line on the display stays
    hello = 15000,    -- between two tries to be connected
    nudged = 10,      -- near radios (3D) registered per tick: a burst the service takes
    known = 3000,     -- after which a new connection without the user's record is a resumed session
    names = 4096,     -- users whose names are remembered
    text = 64,        -- bytes of a tone's, layout's or theme's name
    complaint = 10000, -- between two lines about the same function of the operator's
}

-- Handlers by name: messages of the host, events of the service, net events of the
-- game server. The files after this one fill them.
Radio.receivers = {}
Radio.events = {}
Radio.nets = {}

-- Functions that the game's own files set: focus(on), talking(on), gps(units).
local hooks = {}

function Radio.on(name, fn)
    hooks[name] = fn
end

function Radio.hook(name, value)
    if hooks[name] then hooks[name](value) end
end

-- start makes a fresh radio on a port = { post(msg), now(), server(name, data) }:
-- to the page, the clock in milliseconds, and to the game server.
function Radio.start(port)
    Radio.port = port
    Radio.now = port.now
    local now = port.now()
    local config = RadioConfig
    local s = {
        now = now, complained = {},
        -- link.lua
        ready = false, connected = false, connecting = false, fresh = true, diagnostics = {},
        relays = 0, helloAt = now,
        -- channels.lua
        zones = {}, zone = 1, scanning = true, scanList = {}, near = {}, nearQueue = {}, talkers = {}, talkerOrder = 0,
        names = {}, named = 0,
        -- talk.lua
        held = {}, transmitting = 'idle', displayTalking = false, bonkAt = now - 60000, talkCheckAt = now,
        -- device.lua
        power = config.startsOn == true, open = false, focused = false, voice = 0.5, tone = 0.5, audio3d = 0.5, step = 0.05,
        chosen = {}, battery = 100, batteryAt = now, gps = true, earbuds = false, siren = false, sirenAt = now - 500,
        reportAt = now - 60000, saveAt = now - 60000,
        -- view.lua
        viewAt = now - 60000, noticeId = 0, mic = 'unknown',
    }
    Radio.state = s
    Radio.view.dirty = true
end

-- receive takes a message of the host and returns the answer to it.
function Radio.receive(name, data)
    local f = Radio.receivers[name]
    if f == nil then return { ok = false } end
    if type(data) ~= 'table' then data = {} end
    Radio.state.now = Radio.port.now()
    local answer = f(Radio.state, data)
    Radio.talk.settle()
    return answer or { ok = true }
end

function Radio.receivers.event(s, data)
    local f = Radio.events[data.name]
    if f then f(s, data.payload) end
end

-- net takes a net event of the game server.
function Radio.net(name, data)
    local f = Radio.nets[name]
    if f == nil then return end
    Radio.state.now = Radio.port.now()
    f(Radio.state, type(data) == 'table' and data or {})
    Radio.talk.settle()
end

-- tick does what is due. The host calls it every 50 ms.
function Radio.tick()
    local s = Radio.state
    s.now = Radio.port.now()
    Radio.link.tick(s)
    Radio.channels.tick(s)
    Radio.device.tick(s)
    Radio.talk.tick(s)
    Radio.view.tick(s)
end

-- stop gives everything back: the resource or the program ends.
function Radio.stop()
    local s = Radio.state
    if s == nil then return end
    s.now = Radio.port.now()
    Radio.talk.releaseAll()
    Radio.device.flush(s)
    if s.open then Radio.device.open(s, false, false) end
    Radio.post({ type = 'unlink' })
end

function Radio.post(msg)
    Radio.port.post(msg)
end

-- The operator's functions run in a coroutine of their own, one after the other: one
-- that fails or waits takes only that with it, and the next gets a new one.
local done = {}

local function work(fn, a, b)
    while true do
        fn, a, b = coroutine.yield(done, fn(a, b))
    end
end

local worker

-- call asks one of the operator's functions. One that fails or waits is reported, and
-- answers nothing.
function Radio.call(name, a, b)
    local fn = RadioConfig[name]
    if type(fn) ~= 'function' then return nil end
    worker = worker or coroutine.create(work)
    local ok, finished, answer = coroutine.resume(worker, fn, a, b)
    if ok and finished == done then return answer end
    worker = nil
    local s = Radio.state
    if not s.complained[name] or s.now - s.complained[name] >= Radio.limits.complaint then
        s.complained[name] = s.now
        local why = ok and ' waits; it must answer at once' or ' failed: ' .. tostring(finished)
        Radio.complain('RadioConfig.' .. name .. why)
    end
    return nil
end

-- number is v, a number or plain decimals, put between lo and hi; nil if it is none.
function Radio.number(v, lo, hi)
    if type(v) == 'string' and v:find('^%-?%d+%.?%d*$') then v = tonumber(v) end
    if type(v) ~= 'number' or v ~= v then return nil end
    return math.max(lo, math.min(hi, v))
end

-- list is t if it is a table, else an empty one: JSON's null and empty arrays.
function Radio.list(t)
    return type(t) == 'table' and t or {}
end

-- word is v if it is a text that is not empty.
function Radio.word(v)
    if type(v) == 'string' and v ~= '' then return v end
    return nil
end

-- same says whether two values are equal, tables by what is in them.
function Radio.same(a, b)
    if a == b then return true end
    if type(a) ~= 'table' or type(b) ~= 'table' then return false end
    for k, v in pairs(a) do
        if not Radio.same(v, b[k]) then return false end
    end
    for k in pairs(b) do
        if a[k] == nil then return false end
    end
    return true
end
