-- What the whole runtime rests on: one primitive, bytes out and bytes in. A frame is a
-- msgpack array {operation, payload, arguments…}; the payload, if there is one, is
-- packed already and passes through the host untouched.
local bios = ...
local frame, unpack = bios.frame, bios.unpack
local cost = { on = false, inside = false, outside = 0, call = 0, way = 0, ways = 0 } -- see below

-- What needs no answer waits until the host is asked for something else or the script has
-- ended: a host in another process would be in the way of what the script does meanwhile.
local waiting = {}
local function flush()
  if #waiting == 0 then return end
  local frames = waiting
  waiting = {}
  for _, bytes in ipairs(frames) do bios.cross(bytes) end
end
local function cross(bytes)
  cost.ways = cost.ways + 1
  flush()
  return bios.cross(bytes)
end

--- host asks the host and decodes its answer.
function bios.host(op, payload, ...) return unpack(cross(frame(op, payload, ...))) end

--- tell tells the host something.
function bios.tell(op, payload, ...) waiting[#waiting + 1] = frame(op, payload, ...) end

--- relay asks the host and returns its answer as it came: still packed.
function bios.relay(op, payload, ...) return cross(frame(op, payload, ...)) end

-- What scripts cost: their time, without that of the runtime, whose natives, packer, JSON
-- and way to the host are native code in the game. That is counted by itself, with the
-- bytes of JSON and of packed arguments. Counted once `account` has been asked for.
local clock = os.clock
bios.cost = cost
function cost.reset()
  for _, what in ipairs { 'spent', 'calls', 'ways', 'natives', 'host', 'json', 'packed', 'read', 'written' } do cost[what] = 0 end
end
cost.reset()

local function back(kind, t, ...)
  local took = clock() - t
  cost.outside, cost[kind], cost.inside = cost.outside + took, cost[kind] + took, false
  cost.calls = cost.calls + 1
  return ...
end
--- outside makes f a function whose time is not the script's; kind says whose it is.
function bios.outside(f, kind)
  kind = kind or 'host'
  return function(...)
    if not cost.on or cost.inside then return f(...) end
    cost.inside = true
    return back(kind, clock(), f(...))
  end
end
--- native is outside for what is a native in the game: it is counted.
function bios.native(f)
  return bios.outside(function(...)
    cost.natives = cost.natives + 1
    return f(...)
  end)
end
--- accounted runs f as a script that the host has called, maybe from within another.
function bios.accounted(f, ...)
  if not cost.on then return f(...) end
  local outside, inside, t = cost.outside, cost.inside, clock()
  cost.outside, cost.inside = 0, false
  local function done(...)
    cost.spent = cost.spent + clock() - t - cost.outside
    cost.outside, cost.inside = outside, inside
    return ...
  end
  return done(f(...))
end
-- Each call of what is outside leaves half of each clock to the script; a way to the host
-- and back, where another process has run meanwhile, also what the processor has to find
-- again. start finds out how much, by scripts that do nothing else, and counts from nothing.
local function left(f)
  local n = 2000
  cost.reset()
  bios.outside(function() bios.accounted(function() for _ = 1, n do f() end end) end)()
  return cost.spent / n
end
function cost.start()
  if not cost.on then
    cost.on = true
    cost.call = left(bios.outside(function() end))
    cost.way = left(function() bios.host('declared', nil, 'GetPlayerPed') end) - cost.call
  end
  cost.reset()
end
--- correction is what scripts are found to have cost too much, in seconds.
function cost.correction() return cost.calls * cost.call + cost.ways * cost.way end
bios.flush = flush
for _, name in ipairs { 'host', 'tell', 'relay', 'args', 'pack', 'unpack' } do bios[name] = bios.outside(bios[name]) end

function bios.trace(text) bios.host('trace', text) end

Citizen = {}
function Citizen.Trace(text) bios.trace(tostring(text)) end

function print(...)
  local words = table.pack(...)
  for i = 1, words.n do words[i] = tostring(words[i]) end
  bios.trace(table.concat(words, '\t') .. '\n')
end

-- What the game's sandbox takes away.
io, require, package, dofile, loadfile = nil, nil, nil, nil, nil
os = { time = os.time, date = os.date, clock = os.clock, difftime = os.difftime }
