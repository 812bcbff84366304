-- The operator's callbacks in config.lua that call exports of other resources. The
-- service cannot answer those, so they are run here, from the text of the file that the
-- service sends without its secrets, and the answers go back with each player. The file
-- itself is not in the resource: it holds secrets.

local callbacks = {}
Radio.callbacks = callbacks

-- One player's callbacks together, in ms. It ends waits for other resources only: the
-- game's Lua has nothing to stop a loop with, here as in any other script of the server.
local LIMIT = 2000

-- Longest answer in characters, as in the service.
local LONGEST = 128

local http = Radio.http

local functions = {} -- name -> function of config.lua
local names = {} -- which of them are asked
local source -- the text that they come from
local complained = {} -- what has been printed, so that it is printed once
local fetched = {} -- resource -> true: the file used its exports while it ran

local function complain(line)
    if not complained[line] then
        complained[line] = true
        Radio.log(line)
    end
end

-- inThread runs fn in a thread of its own and waits for it, at most LIMIT; true if it was
-- done in time.
local function inThread(fn)
    local done, open = promise.new(), true
    local function finish(inTime)
        if open then
            open = false
            done:resolve(inTime)
        end
    end
    CreateThread(function()
        fn(function() return open end)
        finish(true)
    end)
    local timer = SetTimeout(LIMIT, function() finish(false) end)
    local inTime = Citizen.Await(done)
    if timer and ClearTimeout then
        ClearTimeout(timer)
    end
    return inTime
end

-- noting is exports for the file: while it runs, fetched notes whose exports it uses. What
-- it keeps of them is stale when that resource starts again. The second result ends the
-- noting.
local function noting()
    local running = true
    return setmetatable({}, {
        __index = function(_, name)
            if running then
                fetched[name] = true
            end
            return exports[name]
        end,
        __call = function(_, ...)
            return exports(...)
        end,
    }), function()
        running = false
    end
end

-- take runs the file's text. Its globals stay its own; the game's functions and exports
-- are there.
local function take(answer)
    local noted, ran = noting()
    local env = setmetatable({ Config = {}, exports = noted }, { __index = _G })
    local file = answer.file or 'config.lua'
    local chunk, mistake = load(answer.source, '@' .. file, 't', env)
    if not chunk then
        return nil, mistake
    end
    local ok, why = false, 'takes too long'
    inThread(function()
        ok, why = pcall(chunk)
        ran()
    end)
    if not ok then
        return nil, why
    end
    local found = {}
    for _, name in ipairs(answer.names or {}) do
        local fn = type(env.Config) == 'table' and env.Config[name]
        if type(fn) ~= 'function' then
            return nil, 'it has no Config.' .. name
        end
        found[name] = fn
    end
    return found
end

-- callbacks.fetch gets the file, if the service says that it needs the game. It yields.
-- The status is that of the request; new: there are other functions than before.
function callbacks.fetch(wanted)
    if type(wanted) ~= 'table' or #wanted == 0 then
        functions, names, source, fetched = {}, {}, nil, {}
        return 200, nil, false
    end
    local status, answer, why = http.request('GET', '/api/game/callbacks')
    if status ~= 200 then
        return status, why, false
    elseif answer.source == source then
        return 200, nil, false
    end
    complained, fetched = {}, {}
    local found, mistake = take(answer)
    if not found then
        complain(('config.lua of the service does not run here: %s. Unanswered: %s.'):format(tostring(mistake), table.concat(wanted, ', ')))
        return 200, nil, false
    end
    functions, names, source = found, answer.names, answer.source
    return 200, nil, true
end

-- callbacks.outdated says whether the file must be run again because a resource has
-- started: fetch does so the next time.
function callbacks.outdated(name)
    if fetched[name] then
        source = nil
    end
    return fetched[name] == true
end

-- callbacks.any says whether there is something to ask.
function callbacks.any()
    return #names > 0
end

-- text is a name or NAC id from an answer; anything else is none.
local function text(value)
    local t = Radio.text(value)
    if not t then
        return ''
    end
    t = t:match('^%s*(.-)%s*$')
    local cut = utf8.offset(t, LONGEST + 1)
    return cut and t:sub(1, cut - 1) or t
end

local fields = {
    radioAccessCheck = function(answers, value)
        answers.access = value ~= nil and value ~= false
    end,
    getUserNacId = function(answers, value)
        answers.callbackNac = text(value)
    end,
    getPlayerName = function(answers, value)
        answers.callbackName = text(value)
    end,
}

-- callbacks.ask asks for one player and yields. What failed or came too late is not in the
-- answers, so that the service leaves it as it was; missing says whether that is so.
function callbacks.ask(id)
    local answers, missing = {}, false
    local asked = functions
    local inTime = inThread(function(open)
        for _, name in ipairs(names) do
            local ok, value = pcall(asked[name], id)
            if not open() then
                return
            end
            if ok and fields[name] then
                local took, mistake = pcall(fields[name], answers, value)
                ok, value = took, mistake
            end
            if not ok then
                missing = true
                complain(('Config.%s failed: %s'):format(name, value == nil and 'no reason given' or tostring(value)))
            end
        end
    end)
    if not inTime then
        missing = true
        complain(('Config.%s: longer than %d ms for player %d'):format(table.concat(names, ', '), LIMIT, id))
        -- A copy: the thread may still write into the first.
        answers = { access = answers.access, callbackNac = answers.callbackNac, callbackName = answers.callbackName }
    end
    return answers, missing
end
