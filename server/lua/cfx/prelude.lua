-- What every script finds besides Lua's own, as far as it is easier to say in Lua. The
-- argument has Go's functions. The chunk returns a function that forgets what is known of
-- a resource's exports, and one that makes a call of Go's a function for scripts.
local host = ...
local create, suspend, waker, find, register = host.create, host.suspend, host.waker, host.find, host.register
local resume, yield, status = coroutine.resume, coroutine.yield, coroutine.status
local select, unpack, type, error, setmetatable, tostring = select, unpack, type, error, setmetatable, tostring

local function pack(...) return { n = select('#', ...), ... } end

-- pcall runs its function in a coroutine of its own and hands its yields on, because
-- this Lua cannot yield through pcall.
local inner = {} -- pcall's coroutine -> the one outside
local running = coroutine.running

local function protected(f, ...)
  if type(f) ~= 'function' then
    local callable = f
    f = function(...) return callable(...) end
  end
  local co = create(f)
  local outside = running()
  inner[co] = inner[outside] or outside
  local r = pack(resume(co, ...))
  while r[1] and status(co) ~= 'dead' do
    r = pack(resume(co, yield(unpack(r, 2, r.n))))
  end
  inner[co] = nil
  if not r[1] and type(r[2]) == 'string' then r[2] = r[2]:gsub('^%[host%]:1: ', '', 1):gsub('^ ', '', 1) end
  return r
end

function pcall(f, ...)
  local r = protected(f, ...)
  return unpack(r, 1, r.n)
end

function xpcall(f, handler, ...)
  local r = protected(f, ...)
  if r[1] then return unpack(r, 1, r.n) end
  return false, handler(r[2])
end

function coroutine.running()
  local co = running()
  return inner[co] or co, false
end

function coroutine.isyieldable() return running() ~= nil end

-- finish gives the results of a call that Go has made, or raises its error where the
-- script made the call.
local function finish(ok, ...)
  if ok then return ... end
  error((...), 3)
end

exports = setmetatable({}, {
  __call = function(_, name, fn) register(name, fn) end,
  __index = function(t, resource)
    local proxy = setmetatable({}, {
      __index = function(p, name)
        local call, why = find(resource, name)
        if not call then error(why, 2) end
        local function export(_, ...) return finish(call(...)) end
        rawset(p, name, export)
        return export
      end,
      __newindex = function() error('exports of another resource cannot be set', 2) end,
    })
    rawset(t, resource, proxy)
    return proxy
  end,
  __newindex = function() error("exports are made by exports('name', fn)", 2) end,
})

-- Promises, as the game's scheduler has them (Promises/A+).
promise = {}
promise.__index = promise

local PENDING, RESOLVED, REJECTED = 0, 3, 4

local function settle(p, state, value)
  if p.state ~= PENDING then return end
  p.state, p.value = state, value
  local queue = p.queue
  p.queue = nil
  for i = 1, #queue do queue[i]() end
end

local function adopt(p, value)
  if value == p then
    settle(p, REJECTED, 'a promise cannot wait for itself')
  elseif type(value) == 'table' and type(value.next) == 'function' then
    local ok, why = pcall(value.next, value, function(v) adopt(p, v) end, function(e) settle(p, REJECTED, e) end)
    if not ok then settle(p, REJECTED, why) end
  else
    settle(p, RESOLVED, value)
  end
end

function promise.new() return setmetatable({ state = PENDING, queue = {} }, promise) end

function promise:resolve(value) adopt(self, value) return self end

function promise:reject(why) settle(self, REJECTED, why) return self end

function promise:next(success, failure)
  local after = promise.new()
  local function run()
    local f = self.state == RESOLVED and success or self.state == REJECTED and failure
    if not f then return settle(after, self.state, self.value) end
    Citizen.CreateThreadNow(function()
      local ok, value = pcall(f, self.value)
      if ok then adopt(after, value) else settle(after, REJECTED, value) end
    end)
  end
  if self.state == PENDING then self.queue[#self.queue + 1] = run else run() end
  return after
end

local function gather(list, each)
  local all = promise.new()
  for i = 1, #list do
    list[i]:next(function(v) each(all, i, v) end, function(e) settle(all, REJECTED, e) end)
  end
  return all
end

function promise.all(list)
  local values, left = {}, #list
  if left == 0 then return promise.new():resolve(values) end
  return gather(list, function(all, i, v)
    values[i] = v
    left = left - 1
    if left == 0 then settle(all, RESOLVED, values) end
  end)
end

function promise.first(list)
  return gather(list, function(all, _, v) settle(all, RESOLVED, v) end)
end

function promise.map(list, f)
  local made = {}
  for i = 1, #list do made[i] = f(list[i]) end
  return promise.all(made)
end

function Citizen.Await(p)
  if type(p) ~= 'table' or type(p.next) ~= 'function' then error('Await needs a promise', 2) end
  if p.state == RESOLVED then return p.value end
  if p.state ~= REJECTED then
    local wake = waker()
    p:next(function(v) wake(true, v) end, function(e) wake(false, e) end)
    return finish(suspend())
  end
  error(p.value, 0)
end

Await = Citizen.Await

debug = { traceback = function(msg) return msg == nil and '' or tostring(msg) end }

function table.pack(...) return pack(...) end

function table.move(from, first, last, at, to)
  to = to or from
  if at > first then
    for i = last, first, -1 do to[at + i - first] = from[i] end
  else
    for i = first, last do to[at + i - first] = from[i] end
  end
  return to
end

return function(resource) rawset(exports, resource, nil) end,
  function(call) return function(...) return finish(call(...)) end end
