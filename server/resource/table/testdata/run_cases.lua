-- Runs the table test. It returns a function:
--
--   run(cases, { call = function(export, args) … end, fresh = function() … end,
--                acts = function() … end, print = function(line) … end })
--
-- call gives an export's answer, fresh makes the radio of world.lua again, acts (optional)
-- gives what was asked of the service since. The answer is the number of cases that went
-- wrong, and of those that ran. Every answer is printed in one spelling, so that the
-- outputs of two Luas can be compared as text.

-- text spells a value alike in Lua 5.1 and 5.4.
local function text(v)
    local kind = type(v)
    if kind == 'number' then
        if v ~= v then
            return 'nan'
        elseif v > 1e308 or v < -1e308 then
            return v > 0 and 'inf' or '-inf'
        end
        return ('%.14g'):format(v)
    elseif kind == 'string' then
        return "'" .. v .. "'"
    elseif kind == 'function' then
        return 'function'
    elseif kind ~= 'table' then
        return tostring(v)
    end
    local n, parts = 0, {}
    for i, x in ipairs(v) do -- not #v, which counts holes differently
        n = i
        parts[i] = text(x)
    end
    local named = {}
    for k, x in pairs(v) do
        if type(k) ~= 'number' or k < 1 or k > n then
            named[#named + 1] = text(k) .. '=' .. text(x)
        end
    end
    table.sort(named)
    for _, part in ipairs(named) do
        parts[#parts + 1] = part
    end
    return '{' .. table.concat(parts, ' ') .. '}'
end

local function picked(answer, fields)
    if not fields or type(answer) ~= 'table' then
        return answer
    end
    local out = {}
    for i, record in ipairs(answer) do
        out[i] = {}
        for _, field in ipairs(fields) do
            out[i][field] = record[field]
        end
    end
    return out
end

local function title(export, args)
    local parts = {}
    for i = 1, args.n do
        parts[i] = text(args[i])
    end
    return export .. '(' .. table.concat(parts, ', ') .. ')'
end

return function(cases, host)
    local wrong, ran = 0, 0
    local function check(what, got, want)
        ran = ran + 1
        local line = what .. ' = ' .. text(got)
        if text(got) ~= text(want) then
            wrong = wrong + 1
            line = 'WRONG ' .. line .. ', not ' .. text(want)
        end
        host.print(line)
    end
    for _, case in ipairs(cases) do
        host.fresh()
        check(title(case[1], case[2]), picked(host.call(case[1], case[2]), case.pick), case[3])
        if case.act ~= nil and host.acts then
            local want = {}
            if case.act then
                want = { case.act }
            end
            check('  asks', host.acts(), want)
        end
        for _, later in ipairs(case.after or {}) do
            check('  ' .. title(later[1], later[2]), host.call(later[1], later[2]), later[3])
        end
    end
    return wrong, ran
end
