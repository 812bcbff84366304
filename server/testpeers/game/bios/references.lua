-- Function references. A function that crosses a border is kept here under a number; the
-- other side holds a table that calls it, and lets go of it when collected.
local bios = ...
local args, unpack, pack = bios.args, bios.unpack, bios.pack
local kept, last = {}, 0
local let_go = {} -- references that were collected, told with the next tick

function bios.reference(f)
  last = last + 1
  kept[last] = { f = f, holders = 0 }
  return ('%s:%d:%d'):format(bios.resource, bios.instance, last)
end

local reference = { __ext = 10 }

local function remote(ref, ...)
  local results = unpack(bios.relay('callref', args(...), ref))
  if results and type(results[1]) == 'table' and rawget(results[1], '__cfx_async_retval') and coroutine.running() then
    local p = promise.new()
    results[1].__cfx_async_retval(function(r, e)
      if r then p:resolve(r) elseif e then p:reject(e) end
    end)
    return table.unpack(Citizen.Await(p))
  end
  if not results then error() end -- the callee has printed why
  return table.unpack(results)
end

reference.__call = function(t, ...) return remote(rawget(t, '__cfx_functionReference'), ...) end
reference.__index = function() error('Cannot index a funcref', 2) end
reference.__newindex = function() error('Cannot set indexes on a funcref', 2) end
reference.__gc = function(t) let_go[#let_go + 1] = rawget(t, '__cfx_functionReference') end
-- Whoever passes on somebody else's function passes on one of its own that calls it.
reference.__pack = function(t) return bios.reference(function(...) return t(...) end) end

bios.extend(reference, function(ref)
  bios.host('hold', nil, ref)
  return setmetatable({ __cfx_functionReference = ref }, reference)
end)

function Citizen.GetFunctionReference(f)
  if type(f) == 'function' then return bios.reference(f) end
end

function bios.hold(id, change)
  local r = kept[id]
  if not r then return end
  r.holders = r.holders + change
  if r.holders <= 0 then kept[id] = nil end
end

function bios.tell_let_go()
  if #let_go == 0 then return end
  local gone = let_go
  let_go = {}
  bios.host('letgo', nil, gone)
end

--- kept_references is how many functions others hold; for tests of leaks.
function bios.kept_references()
  local n = 0
  for _ in pairs(kept) do n = n + 1 end
  return n
end

--- callref runs a kept function with packed arguments. nil as answer means: it failed,
--- and the console has been told. One that waits answers later, through a callback.
function bios.callref(id, payload)
  local r = kept[id]
  if not r then
    bios.trace('Invalid ref call attempt: ' .. id .. '\n')
    return pack(nil)
  end
  local results, failure, answer = false, nil, nil
  local waits = Citizen.CreateThreadNow(function()
    local ok, why = xpcall(function() results = { r.f(table.unpack(unpack(payload))) } end, function(e)
      return ('^1SCRIPT ERROR: %s^7\n%s'):format(tostring(e), debug.traceback(nil, 2))
    end)
    if not ok then failure = why or '' end
    if answer then answer(results, failure) elseif failure then bios.trace(failure .. '\n') end
  end)
  if waits then return pack { { __cfx_async_retval = function(f) answer = f end } } end
  if failure then return pack(nil) end
  return pack(results)
end
