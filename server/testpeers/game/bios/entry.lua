-- How the host comes in: one frame {operation, clock, payload, arguments…}, one answer.
local bios = ...
local unpack, pack = bios.unpack, bios.pack
local NIL = pack(nil)
local entries = {}

function entries.tick()
  bios.tell_let_go()
  bios.tick()
  return NIL
end
function entries.event(payload, name, origin)
  bios.event(name, payload, origin)
  return NIL
end
function entries.callref(payload, id) return bios.callref(id, payload) end
function entries.hold(_, id, change)
  bios.hold(id, change)
  return NIL
end
-- A script's body runs outside any thread: it cannot wait.
function entries.load(text, name)
  local f, why = load(text, '@' .. name, 't')
  if not f then
    bios.trace(('^1SCRIPT ERROR: Failed to load script %s: %s^7\n'):format(name, why))
    return pack(false)
  end
  local ok, failure = xpcall(f, function(e) return { e, debug.traceback(nil, 2) } end)
  if not ok then bios.failed(failure[1], failure[2]) end
  return pack(ok)
end
function entries.publish(payload)
  bios.published(unpack(payload))
  return NIL
end
function entries.memory()
  collectgarbage()
  collectgarbage()
  return pack { math.ceil(collectgarbage('count') * 1024), bios.kept_references() }
end

--- account counts from now on what scripts cost, and says what they have cost: ms of theirs, and of
--- what is native in the game; how many natives, and bytes of events and JSON.
function entries.account()
  local cost = bios.cost
  local correction = cost.correction()
  local answer = pack {
    ms = (cost.spent - correction) * 1000, correction = correction * 1000, host = cost.host * 1000, json = cost.json * 1000,
    natives = cost.natives, packed = cost.packed, read = cost.read, written = cost.written,
  }
  cost.start()
  return answer
end

local function flushed(...)
  bios.flush()
  return ...
end
function bios.enter(bytes)
  local frame = unpack(bytes)
  bios.clock(frame[2])
  return flushed(bios.accounted(entries[frame[1]], frame[3], table.unpack(frame, 4)))
end
