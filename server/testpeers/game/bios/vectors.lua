-- vector2, vector3 and vector4 as the game's Lua has them, so far as plain Lua can: their
-- `type` is their own, `#v` is their length, and they cross borders as extensions.
local bios = ...
local rawtype, axes = type, { 'x', 'y', 'z', 'w' }
local kinds = {}

local function make(name, size, ext)
  local meta = { size = size, kind = name, __ext = ext }
  local function new(x, ...)
    if rawtype(x) == 'table' and x.x then
      local copy = {}
      for i = 1, size do copy[axes[i]] = x[axes[i]] + 0.0 end
      return setmetatable(copy, meta)
    end
    local given, v = { x, ... }, {}
    for i = 1, size do v[axes[i]] = (tonumber(given[i]) or error(('%s: number %d is missing'):format(name, i), 2)) + 0.0 end
    return setmetatable(v, meta)
  end
  local function each(a, b, f)
    local v = {}
    for i = 1, size do
      local k = axes[i]
      v[k] = f(rawtype(a) == 'number' and a or a[k], rawtype(b) == 'number' and b or b[k])
    end
    return setmetatable(v, meta)
  end
  meta.__index = function(v, k) return axes[k] and rawget(v, axes[k]) end
  meta.__newindex = function() error(name .. ' cannot be changed', 2) end
  meta.__add = function(a, b) return each(a, b, function(p, q) return p + q end) end
  meta.__sub = function(a, b) return each(a, b, function(p, q) return p - q end) end
  meta.__mul = function(a, b) return each(a, b, function(p, q) return p * q end) end
  meta.__div = function(a, b) return each(a, b, function(p, q) return p / q end) end
  meta.__unm = function(a) return each(a, -1, function(p, q) return p * q end) end
  meta.__eq = function(a, b) for i = 1, size do if a[axes[i]] ~= b[axes[i]] then return false end end return true end
  meta.__len = function(v)
    local sum = 0
    for i = 1, size do sum = sum + v[axes[i]] ^ 2 end
    return sum ^ 0.5
  end
  meta.__tostring = function(v)
    local t = {}
    for i = 1, size do t[i] = ('%f'):format(v[axes[i]]) end
    return ('%s(%s)'):format(name, table.concat(t, ', '))
  end
  local format = '<' .. ('f'):rep(size)
  meta.__pack = function(v) return string.pack(format, v.x, v.y, v.z, v.w) end
  bios.extend(meta, function(data) return new(string.unpack(format, data)) end)
  kinds[meta] = name
  return new
end

vector2 = make('vector2', 2, 20)
vector3 = make('vector3', 3, 21)
vector4 = make('vector4', 4, 22)
vec2, vec3, vec4 = vector2, vector3, vector4

function type(...)
  local kind = rawtype(...)
  return kind == 'table' and kinds[getmetatable((...))] or kind
end
