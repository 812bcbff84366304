-- JSON with the game's habits: 463.0 stays a float both ways, an empty table is an
-- array, holes become null, infinity is written although JSON has none, and text that is
-- not JSON decodes to nil instead of throwing.
local byte, sub, find, match, gsub, concat = string.byte, string.sub, string.find, string.match, string.gsub, table.concat
local mathtype = math.type
local bios = ...
json = {}

local escapes = { ['"'] = '\\"', ['\\'] = '\\\\', ['\b'] = '\\b', ['\f'] = '\\f', ['\n'] = '\\n', ['\r'] = '\\r', ['\t'] = '\\t' }
local function escape(c) return escapes[c] or ('\\u%04X'):format(byte(c)) end
local function text(s) return '"' .. gsub(s, '[%z\1-\31"\\]', escape) .. '"' end

local function float(n)
  if n ~= n then return 'NaN' elseif n == math.huge then return 'Infinity' elseif n == -math.huge then return '-Infinity' end
  local s
  for digits = 15, 17 do -- the shortest that reads back as the same number
    s = ('%.' .. digits .. 'g'):format(n)
    if tonumber(s) == n then break end
  end
  if find(s, 'e', 1, true) then return (gsub(s, 'e%+?(%-?)0*', 'e%1')) end
  return find(s, '.', 1, true) and s or s .. '.0'
end

-- The length as an array, or nil for an object. A table with a few numbers as keys is
-- an array full of nulls, which surprises everybody once.
local WIDEST_ARRAY = 65536
local function length(t)
  local max = 0
  for k in next, t do
    if mathtype(k) ~= 'integer' or k < 1 or k > WIDEST_ARRAY then return nil end
    if k > max then max = k end
  end
  return max
end

local function encode(v, indent, level)
  local kind = type(v)
  if kind == 'nil' then return 'null' elseif kind == 'boolean' then return tostring(v) elseif kind == 'string' then return text(v)
  elseif kind == 'number' then return mathtype(v) == 'integer' and tostring(v) or float(v) end
  if kind ~= 'table' and not find(kind, '^vector') then error("json: type '" .. kind .. "' cannot be encoded", 0) end
  local out, n = {}, length(v)
  local open, close = '[', ']'
  if n then
    for i = 1, n do out[i] = encode(v[i], indent, level + 1) end
  else
    open, close = '{', '}'
    for k, x in next, v do
      if type(k) ~= 'string' and type(k) ~= 'number' then error("json: a key of type '" .. type(k) .. "' cannot be encoded", 0) end
      out[#out + 1] = text(tostring(k)) .. (indent and ': ' or ':') .. encode(x, indent, level + 1)
    end
  end
  if not indent or #out == 0 then return open .. concat(out, ',') .. close end
  local pad = ('    '):rep(level + 1)
  return open .. '\n' .. pad .. concat(out, ',\n' .. pad) .. '\n' .. ('    '):rep(level) .. close
end
function json.encode(v, options) return encode(v, options and options.indent, 0) end

local plain = { b = '\b', f = '\f', n = '\n', r = '\r', t = '\t', ['"'] = '"', ['\\'] = '\\', ['/'] = '/' }
local function unescape(s)
  s = gsub(s, '\\u([dD][89aAbB]%x%x)\\u([dD][c-fC-F]%x%x)', function(high, low)
    return utf8.char(0x10000 + ((tonumber(high, 16) & 0x3ff) << 10) + (tonumber(low, 16) & 0x3ff))
  end)
  return (gsub(s, '\\(.)(%x?%x?%x?%x?)', function(c, hex)
    if c == 'u' then
      if #hex < 4 then error('bad escape') end
      return utf8.char(tonumber(hex, 16))
    end
    return (plain[c] or error('bad escape')) .. hex
  end))
end

local value
local function ended() error('the text ends') end
local function quoted(s, p)
  local from = p + 1
  local till = find(s, '["\\]', from) or error('open string')
  if byte(s, till) == 34 then return sub(s, from, till - 1), till + 1 end
  repeat
    if byte(s, till) == 92 then till = till + 2 end
    till = find(s, '["\\]', till) or error('open string')
  until byte(s, till) == 34
  return unescape(sub(s, from, till - 1)), till + 1
end
local function object(s, p)
  local t, k = {}, nil
  p = find(s, '%S', p + 1) or ended()
  if byte(s, p) == 125 then return t, p + 1 end
  while true do
    if byte(s, p) ~= 34 then error('a key is text') end
    k, p = quoted(s, p)
    p = find(s, '%S', p) or ended()
    if byte(s, p) ~= 58 then error('colon') end
    t[k], p = value(s, p + 1)
    p = find(s, '%S', p) or ended()
    local b = byte(s, p)
    if b == 125 then return t, p + 1 elseif b ~= 44 then error('comma') end
    p = find(s, '%S', p + 1) or ended()
  end
end
local function array(s, p)
  local t, n = {}, 0
  p = find(s, '%S', p + 1) or ended()
  if byte(s, p) == 93 then return t, p + 1 end
  while true do
    n = n + 1
    t[n], p = value(s, p)
    p = find(s, '%S', p) or ended()
    local b = byte(s, p)
    if b == 93 then return t, p + 1 elseif b ~= 44 then error('comma') end
    p = p + 1
  end
end
local words = { ['true'] = true, ['false'] = false }
value = function(s, p)
  p = find(s, '%S', p) or ended()
  local b = byte(s, p)
  if b == 34 then return quoted(s, p) elseif b == 123 then return object(s, p) elseif b == 91 then return array(s, p) end
  if b == 45 or (b >= 48 and b <= 57) then
    local word = match(s, '^-?%d+%.?%d*[eE]?[+-]?%d*', p) or error('number')
    if find(word, '^-?0%d') or find(word, '%.$') or find(word, '%.[eE]') then error('number') end
    return tonumber(word) or error('number'), p + #word
  end
  local word = match(s, '^%l+', p)
  if word == 'null' then return nil, p + 4 end
  if words[word] == nil then error('word') end
  return words[word], p + #word
end
function json.decode(s)
  local ok, v = pcall(function()
    local v, p = value(s, 1)
    if find(s, '%S', p) then error('more than one value') end
    return v
  end)
  if ok then return v end
  return nil
end

-- The bytes are counted, because the game's JSON is faster by far.
local encoded, decoded = json.encode, json.decode
json.encode = bios.outside(function(...)
  local s = encoded(...)
  bios.cost.written = bios.cost.written + #s
  return s
end, 'json')
json.decode = bios.outside(function(s)
  if type(s) == 'string' then bios.cost.read = bios.cost.read + #s end
  return decoded(s)
end, 'json')
