-- The packer of the game, whose rules decide what a value is on the other side of every
-- border: integers stay integers and floats stay floats; a table is an array only
-- without holes, and an empty one always; arguments keep their middle nils; a function
-- becomes a reference (extension 10).
local bios = ...
local spack, sunpack, byte, sub, concat = string.pack, string.unpack, string.byte, string.sub, table.concat
local mathtype, rawtype = math.type, type
local EXT_REFERENCE = 10

local function head(n, small, l16, l32)
  if small and n < 16 then return spack('B', small | n) end
  if n < 65536 then return spack('>BI2', l16, n) end
  return spack('>BI4', l32, n)
end

local function ext(kind, data)
  if #data < 256 then return spack('>BBB', 0xc7, #data, kind) .. data end
  return spack('>BI2B', 0xc8, #data, kind) .. data
end

local function integer(n)
  if n >= 0 then
    if n < 128 then return spack('B', n) elseif n < 256 then return spack('>BB', 0xcc, n)
    elseif n < 65536 then return spack('>BI2', 0xcd, n) elseif n < 4294967296 then return spack('>BI4', 0xce, n) end
    return spack('>Bi8', 0xcf, n)
  end
  if n >= -32 then return spack('b', n) elseif n >= -128 then return spack('>Bb', 0xd0, n)
  elseif n >= -32768 then return spack('>Bi2', 0xd1, n) elseif n >= -2147483648 then return spack('>Bi4', 0xd2, n) end
  return spack('>Bi8', 0xd3, n)
end

local kinds = {}
local function put(v)
  local kind = kinds[rawtype(v)]
  if not kind then error("pack '" .. rawtype(v) .. "' is unimplemented", 0) end
  return kind(v)
end
kinds['nil'] = function() return '\xc0' end
kinds['boolean'] = function(b) return b and '\xc3' or '\xc2' end
kinds['number'] = function(n) return mathtype(n) == 'integer' and integer(n) or spack('>Bd', 0xcb, n) end
kinds['string'] = function(s) -- without str8, as string_compat has it
  local n = #s
  return (n < 32 and spack('B', 0xa0 | n) or head(n, nil, 0xda, 0xdb)) .. s
end
kinds['function'] = function(f) return ext(EXT_REFERENCE, bios.reference(f)) end
kinds['table'] = function(t)
  local meta = getmetatable(t)
  if rawtype(meta) == 'table' and meta.__ext then return ext(meta.__ext, meta.__pack(t)) end
  local n, max = 0, 0
  for k in next, t do
    n = n + 1
    if mathtype(k) ~= 'integer' or k < 1 then max = -1 break end
    if k > max then max = k end
  end
  local out = {}
  if max == n then
    for i = 1, n do out[i] = put(t[i]) end
    return head(n, 0x90, 0xdc, 0xdd) .. concat(out)
  end
  n = 0
  for k, v in next, t do n = n + 1; out[n] = put(k) .. put(v) end
  return head(n, 0x80, 0xde, 0xdf) .. concat(out)
end

local function args(...)
  local n = select('#', ...)
  if n == 0 then return '\x90' end
  if n == 1 then return '\x91' .. put((...)) end
  local out = { head(n, 0x90, 0xdc, 0xdd) }
  for i = 1, n do out[i + 1] = put((select(i, ...))) end
  return concat(out)
end

local get
-- A table that is built with room for all its elements knows its length although some
-- are nil: this is how arguments keep their middle nils and lose their last ones.
local room = {}
for i = 1, 64 do room[i] = false end
local function array(s, p, n)
  local t = n > 0 and n <= #room and { table.unpack(room, 1, n) } or {}
  for i = 1, n do t[i], p = get(s, p) end
  return t, p
end
local function map(s, p, n)
  local t, k = {}, nil
  for _ = 1, n do
    k, p = get(s, p)
    t[k], p = get(s, p)
  end
  return t, p
end
local extensions = {}
local function extension(s, p, n, kind)
  local read = extensions[kind]
  if not read then error('unknown msgpack extension ' .. kind) end
  return read(sub(s, p, p + n - 1)), p + n
end
local fixed = { [0xca] = '>f', [0xcb] = '>d', [0xcc] = 'B', [0xcd] = '>I2', [0xce] = '>I4', [0xcf] = '>i8',
  [0xd0] = 'b', [0xd1] = '>i2', [0xd2] = '>i4', [0xd3] = '>i8',
  [0xd9] = 's1', [0xda] = '>s2', [0xdb] = '>s4', [0xc4] = 's1', [0xc5] = '>s2', [0xc6] = '>s4' }
local fixext = { [0xd4] = 1, [0xd5] = 2, [0xd6] = 4, [0xd7] = 8, [0xd8] = 16 }
local wide = {
  [0xc0] = function(_, p) return nil, p end,
  [0xc2] = function(_, p) return false, p end,
  [0xc3] = function(_, p) return true, p end,
  [0xdc] = function(s, p) return array(s, p + 2, (sunpack('>I2', s, p))) end,
  [0xdd] = function(s, p) return array(s, p + 4, (sunpack('>I4', s, p))) end,
  [0xde] = function(s, p) return map(s, p + 2, (sunpack('>I2', s, p))) end,
  [0xdf] = function(s, p) return map(s, p + 4, (sunpack('>I4', s, p))) end,
  [0xc7] = function(s, p) local n, kind = byte(s, p, p + 1); return extension(s, p + 2, n, kind) end,
  [0xc8] = function(s, p) local n, kind = sunpack('>I2B', s, p); return extension(s, p + 3, n, kind) end,
}
get = function(s, p)
  local b = byte(s, p)
  p = p + 1
  if b < 0x80 then return b, p elseif b < 0x90 then return map(s, p, b & 15) elseif b < 0xa0 then return array(s, p, b & 15)
  elseif b < 0xc0 then local n = b & 31; return sub(s, p, p + n - 1), p + n
  elseif b >= 0xe0 then return b - 256, p
  elseif fixed[b] then return sunpack(fixed[b], s, p)
  elseif fixext[b] then return extension(s, p + 1, fixext[b], byte(s, p)) end
  return wide[b](s, p)
end

--- extend teaches the packer a type: a metatable with __ext and __pack, and how to read it.
function bios.extend(meta, read) extensions[meta.__ext] = read end
function bios.unpack(s) return (get(s, 1)) end
bios.pack, bios.args = put, args

--- frame packs what goes to the host; payload is bytes, so that binary text survives.
function bios.frame(op, payload, ...)
  payload = payload or ''
  local n = select('#', ...)
  local out = { spack('B', 0x90 | (n + 2)), put(op), #payload < 256 and spack('>Bs1', 0xc4, payload) or spack('>Bs4', 0xc6, payload) }
  for i = 1, n do out[i + 2 + 1] = put((select(i, ...))) end
  return concat(out)
end

msgpack = { pack = put, unpack = bios.unpack, pack_args = args }
