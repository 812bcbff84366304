-- Threads. The clock stands still while a script runs: it is set whenever the host comes
-- in, and a thread that waits is resumed by the first tick that is not too early.
local bios = ...
local now, order = 0, 0
local threads = {} -- coroutine -> { at, order }

function bios.clock(ms) now = ms end
function GetGameTimer() return now // 1 | 0 end

--- failed tells the console of an error in a script, with its stack.
function bios.failed(what, stack) bios.trace(('^1SCRIPT ERROR: %s^7\n%s\n'):format(tostring(what), stack or '')) end

local function sleep(co, at)
  order = order + 1
  threads[co] = { at = at, order = order }
end

-- A thread that awaits a promise goes on with the tick after the promise was kept.
local await = {}
local function resume(co)
  local ok, what, promise = coroutine.resume(co)
  if not ok then bios.failed(what, debug.traceback(co)) return end
  if coroutine.status(co) == 'dead' then return end
  if what == await then
    local function again() sleep(co, now) end
    promise:next(again, again)
  else
    sleep(co, now + (tonumber(what) or 0))
  end
end

function Citizen.Wait(ms) coroutine.yield(ms or 0) end
function Citizen.Await(promise)
  assert(coroutine.isyieldable(), 'Current execution context is not in the scheduler, you should use CreateThread / SetTimeout or Event system (AddEventHandler) to be able to Await')
  if promise.state == 0 then coroutine.yield(await, promise) end
  if promise.state == 2 or promise.state == 4 then error(promise.value, 2) end
  return promise.value
end
function Citizen.SetTimeout(ms, f)
  local co = coroutine.create(f)
  sleep(co, now + ms)
  return co
end
function Citizen.ClearTimeout(co) threads[co] = nil end
function Citizen.CreateThread(f) Citizen.SetTimeout(0, f) end

--- CreateThreadNow runs f at once and says whether it still waits for something.
function Citizen.CreateThreadNow(f)
  local co = coroutine.create(f)
  resume(co)
  return coroutine.status(co) ~= 'dead'
end

Wait, CreateThread, SetTimeout, ClearTimeout = Citizen.Wait, Citizen.CreateThread, Citizen.SetTimeout, Citizen.ClearTimeout

function bios.tick()
  local due = {}
  for co, thread in pairs(threads) do
    if thread.at <= now then due[#due + 1] = { co = co, thread = thread } end
  end
  table.sort(due, function(a, b)
    if a.thread.at ~= b.thread.at then return a.thread.at < b.thread.at end
    return a.thread.order < b.thread.order
  end)
  for _, d in ipairs(due) do
    if threads[d.co] == d.thread then -- not cleared by one before it
      threads[d.co] = nil
      resume(d.co)
    end
  end
end
