-- What both sides of the resource share, and the service's own Lua with it. This file,
-- table.lua and every exports.lua run in Lua 5.4 (the game) and in Lua 5.1 (scripts in
-- the service, the headless radio): only what means the same in both is used here.

Radio = Radio or {}

-- Frequencies are below 1,000,000 and have at most six decimals, as in the service.
local MAX_FREQUENCY = 1000000

-- Longest frequency that is looked at; the service takes 12 digits before the dot, and
-- zeros after it.
local MAX_DIGITS = 40

-- Server ids are 32 bit in the service.
local MAX_ID = 2147483647

-- Longest text of an argument. Origin: the longest that the service takes anywhere but
-- in messages is a name of 128 characters of at most 4 bytes.
local MAX_TEXT = 512

-- Not as methods of texts: those are what a script has made of its string library.
local format, gsub, match = string.format, string.gsub, string.match

local function finite(n)
    return n == n and n < math.huge and n > -math.huge
end

-- Radio.key is the canonical spelling of a frequency: '460.250', '460.25' and 460.25 are
-- '460.25'. nil: no frequency.
function Radio.key(frequency)
    local n
    if type(frequency) == 'number' then
        n = frequency
    elseif type(frequency) == 'string' and #frequency <= MAX_DIGITS then
        -- Not tonumber alone: what it takes beside digits differs from version to version.
        local whole, dot, decimals = match(frequency, '^(%d+)(%.?)(%d*)$')
        if not whole or #whole > 12 or (dot ~= '' and decimals == '') or #gsub(decimals, '0+$', '') > 6 then
            return nil
        end
        n = tonumber(frequency)
    end
    if not n or not finite(n) or n <= 0 or n >= MAX_FREQUENCY then
        return nil
    end
    local text = gsub(gsub(format('%.6f', n), '0+$', ''), '%.$', '')
    if text == '0' or text == '1000000' then -- rounded to nothing, or out of the range
        return nil
    end
    return text
end

-- Radio.id is a server id as a whole number, from a number or text; nil: no id.
function Radio.id(id)
    local n
    if type(id) == 'number' then
        n = id
    elseif type(id) == 'string' and #id <= 11 and match(id, '^%-?%d+$') then
        n = tonumber(id)
    end
    if not n or not finite(n) or n == 0 or n ~= math.floor(n) or n > MAX_ID or n < -MAX_ID then
        return nil
    end
    return math.floor(n) -- 12.0 becomes 12 where the two differ
end

-- Radio.text is text from text or a number, without the '.0' that only Lua 5.4 writes.
function Radio.text(value)
    if type(value) == 'string' then
        if #value <= MAX_TEXT then
            return value
        end
    elseif type(value) == 'number' and finite(value) then
        if value == math.floor(value) and math.abs(value) < 1e15 then
            return format('%.0f', value)
        end
        return format('%.14g', value)
    end
    return nil
end

-- Radio.convert makes an argument what its type in the table of exports promises;
-- nil: it cannot be that.
Radio.convert = {
    frequency = Radio.key,
    serverId = Radio.id,
    text = Radio.text,
    boolean = function(value)
        if type(value) == 'boolean' then
            return value
        end
        return nil
    end,
    alert = function(value)
        if type(value) == 'number' then
            if finite(value) and value == math.floor(value) and value >= 1 and value <= MAX_ID then
                return math.floor(value)
            end
            return nil
        end
        return type(value) == 'string' and value ~= '' and Radio.text(value) or nil
    end,
    volume = function(value)
        if type(value) ~= 'number' or not finite(value) then
            return nil
        end
        return math.max(0, math.min(1, value))
    end,
}

-- Errors of exports: one line a second, with the number of those that were kept quiet.
local logged, quiet = nil, 0

-- Radio.now is a clock in milliseconds. The game and the service have better ones.
Radio.now = Radio.now or function()
    return os and os.time and os.time() * 1000 or 0
end

-- Radio.log prints. Hosts may replace it.
Radio.log = Radio.log or function(line)
    print('[radio] ' .. line)
end

-- Radio.complain prints an error, at most one a second.
function Radio.complain(line)
    local now = Radio.now()
    if logged and now - logged < 1000 and now >= logged then
        quiet = quiet + 1
        return
    end
    if quiet > 0 then
        line = line .. ' (and ' .. quiet .. ' more errors)'
    end
    logged, quiet = now, 0
    Radio.log(line)
end

-- Radio.functions has the exports that are defined, by side and name.
Radio.functions = { server = {}, client = {} }

local function entryOf(side, name)
    for _, entry in ipairs(Radio.exports[side]) do
        if entry.name == name then
            return entry
        end
    end
    error('no export ' .. name .. ' in the table of the ' .. side)
end

-- failureOf is the entry's failure value. A table is new each time: callers may keep it.
local function failureOf(entry)
    if type(entry.failure) == 'table' then
        return {}
    end
    return entry.failure
end

-- converted checks the arguments against the entry. The first result is the number of
-- parameters, or nil for a wrong argument.
local function converted(entry, ...)
    local given, args = select('#', ...), {}
    for i, param in ipairs(entry.params) do
        local value
        if i <= given then
            value = (select(i, ...))
        end
        if value ~= nil then
            args[i] = Radio.convert[param[2]](value)
        end
        if args[i] == nil and not (value == nil and param.optional) then
            return nil
        end
    end
    return #entry.params, args
end

local unpack = table.unpack or unpack

-- Radio.export defines an export. fn gets arguments that fit the table, one for each
-- parameter, and answers nil for "failed"; its answer is one value, because the game
-- loses what comes after a nil. It must not yield: an export answers at once, and in Lua
-- 5.1 a yield inside pcall is lost. An error in it is printed and is a failure.
function Radio.export(side, name, fn)
    local entry = entryOf(side, name)
    local function guarded(...)
        local count, args = converted(entry, ...)
        if not count then
            return failureOf(entry)
        end
        local ok, result = pcall(fn, unpack(args, 1, count))
        if not ok then
            Radio.complain('error in the export ' .. name .. ': ' .. tostring(result))
            return failureOf(entry)
        end
        if result == nil then
            return failureOf(entry)
        end
        return result
    end
    Radio.functions[side][name] = guarded
    for _, alias in ipairs(entry.alias or {}) do
        Radio.functions[side][alias] = guarded
    end
end
