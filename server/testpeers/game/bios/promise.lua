-- Promises. States: 0 pending, 3 resolved, 4 rejected.
promise = {}
promise.__index = promise

function promise.new() return setmetatable({ state = 0, waiting = {} }, promise) end

local function settle(p, state, value)
  if p.state ~= 0 then return end
  p.state, p.value = state, value
  local waiting = p.waiting
  p.waiting = {}
  for _, f in ipairs(waiting) do f() end
end

-- follow settles p as a handler of another promise, or the value that it gave, decides.
local function follow(p, handler, value, state)
  if not handler then return settle(p, state, value) end
  local ok, result = pcall(handler, value)
  if not ok then return settle(p, 4, result) end
  if type(result) == 'table' and getmetatable(result) == promise then
    return result:next(function(v) settle(p, 3, v) end, function(e) settle(p, 4, e) end)
  end
  settle(p, 3, result)
end

function promise:resolve(value) settle(self, 3, value) return self end
function promise:reject(reason) settle(self, 4, reason) return self end
function promise:next(success, failure)
  local p = promise.new()
  local function go() follow(p, self.state == 3 and success or self.state == 4 and failure, self.value, self.state) end
  if self.state == 0 then self.waiting[#self.waiting + 1] = go else go() end
  return p
end

function promise.all(list)
  local p, results, left = promise.new(), {}, #list
  if left == 0 then p:resolve(results) end
  for i, each in ipairs(list) do
    each:next(function(v)
      results[i], left = v, left - 1
      if left == 0 then p:resolve(results) end
    end, function(e) p:reject(e) end)
  end
  return p
end
