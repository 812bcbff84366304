-- Players: everybody on the game server is registered with the service, with name,
-- identifiers, ACE permissions and the answers of the operator's callbacks, and gets a
-- token for the radio, which is kept in memory only.
--
-- One thread does the work, so that nothing overtakes anything.

local players = {}
Radio.players = players

-- Players in one request, and those whose callbacks are asked at once.
local BATCH, TOGETHER = 100, 10

-- A round over all players to see changes of ACE permissions, which nothing announces,
-- in ms.
local ROUND = 60000

-- How long registering waits for callbacks, in ms: at a start, and later. A player who has
-- no answers by then is registered without them, and again when they are there.
local START, LATER = 1500, 2500

local http, permissions, callbacks, picture = Radio.http, Radio.permissions, Radio.callbacks, Radio.picture

local known = {} -- id -> what was found out about a player, see look
local tokens = {} -- id -> token
local due = {} -- id -> what is to be done: { fresh, waiters }
local gone = {} -- id -> true: to be dropped at the service
local everything = false -- all are to be registered, and the missing dropped
local wanted -- callbacks of the configuration that are still to be fetched
local configured = {} -- callbacks that the configuration leaves to the game
local complete = false -- everybody has been registered once
local working = false
local said = {} -- id -> the refusal that was printed

-- players.registered is called with (id, token) when a player has a new token.
players.registered = nil

-- What is known of a player ----------------------------------------------------

-- name is the player's name without colours.
local function name(id)
    local text = GetPlayerName(id)
    if not text then
        return nil
    end
    text = text:gsub('%^[%d_%*=~]', ''):gsub('%c', ''):match('^%s*(.-)%s*$')
    return text ~= '' and text or 'Player ' .. id
end

-- identifiers are those that ACE entries name. The address is nobody's business.
local function identifiers(id)
    local list = {}
    for _, identifier in ipairs(GetPlayerIdentifiers(id) or {}) do
        if identifier:sub(1, 3) ~= 'ip:' then
            list[#list + 1] = identifier
        end
    end
    return list
end

-- look finds out about a player what needs no callback. nil: the player has left.
local function look(id)
    local called = name(id)
    if not called then
        return nil
    end
    local player = known[id] or {}
    player.name, player.identifiers, player.aces = called, identifiers(id), permissions.of(id)
    if not name(id) or gone[id] then -- left while the permissions were asked
        return nil
    end
    known[id] = player
    return player
end

-- answer asks the callbacks about a player.
local function answer(id)
    local answers, missing = callbacks.ask(id)
    if known[id] then
        local before = known[id].answers or {}
        for _, field in ipairs({ 'access', 'callbackNac', 'callbackName' }) do
            if answers[field] == nil then -- failed now: what it said before counts
                answers[field] = before[field]
            end
        end
        known[id].answers, known[id].missing = answers, missing
    end
end

-- answerAll asks the callbacks about many, a few at once, until a moment. Who has no new
-- answers by then is looked at again.
local function answerAll(ids, till)
    local open, i = 0, 0
    while (i < #ids or open > 0) and GetGameTimer() < till do
        while i < #ids and open < TOGETHER do
            i = i + 1
            open = open + 1
            local id = ids[i]
            CreateThread(function()
                answer(id)
                open = open - 1
                if GetGameTimer() >= till then -- too late for this time
                    players.again(id, {})
                end
            end)
        end
        Wait(0)
    end
    for left = i + 1, #ids do
        players.again(ids[left], { fresh = true })
    end
end

-- body is a player as the service wants it, fingerprint the same as text.
local function body(id, player)
    local answers = player.answers or {}
    return {
        serverId = id, name = player.name, identifiers = player.identifiers, aces = player.aces,
        access = answers.access, callbackNac = answers.callbackNac, callbackName = answers.callbackName,
    }
end

local function fingerprint(player)
    local answers = player.answers or {}
    return table.concat({
        player.name, table.concat(player.identifiers, ' '), permissions.text(player.aces),
        tostring(answers.access), tostring(answers.callbackNac), tostring(answers.callbackName),
    }, '\n')
end

-- Registering --------------------------------------------------------------------

-- register sends players. keep: those who have a token keep it.
local function register(ids, replace, keep)
    local bodies, prints = {}, {}
    for i, id in ipairs(ids) do
        bodies[i], prints[id] = body(id, known[id]), fingerprint(known[id])
    end
    local status, reply, why = http.request('POST', '/api/game/players', { replace = replace, keepTokens = keep, players = bodies })
    if status ~= 200 then
        return status, why
    end
    for _, id in ipairs(ids) do
        local mistake = reply.errors and reply.errors[tostring(id)]
        local token = reply.tokens and reply.tokens[tostring(id)]
        if mistake then
            if said[id] ~= mistake then
                said[id] = mistake
                Radio.log(('player %d cannot be registered: %s'):format(id, tostring(mistake)))
            end
        elseif known[id] then
            said[id], known[id].sent = nil, prints[id]
            if type(token) == 'string' and not gone[id] then
                tokens[id] = token
                if players.registered then
                    players.registered(id, token)
                end
            end
        end
    end
    return 200
end

local function online()
    local ids = {}
    for _, id in ipairs(GetPlayers()) do
        ids[#ids + 1] = tonumber(id)
    end
    return ids
end

-- registerAll is for every start of the resource and of the service. What is known from
-- before is good enough to be quick; it is looked at again afterwards.
local function registerAll()
    local ids, before, ask = {}, {}, {}
    for _, id in ipairs(online()) do
        if known[id] and known[id].aces then
            before[#before + 1] = id
            ids[#ids + 1] = id
        elseif look(id) then
            ids[#ids + 1] = id
        end
        if known[id] and callbacks.any() and not known[id].answers then
            ask[#ask + 1] = id
        end
    end
    answerAll(ask, GetGameTimer() + START)
    local there = {}
    for _, id in ipairs(ids) do
        if known[id] then -- nobody who left meanwhile
            there[#there + 1] = id
        end
    end
    local keep = next(tokens) ~= nil
    local status, why = register(there, true, keep)
    if status ~= 200 then
        return status, why
    end
    complete = true
    for _, id in ipairs(before) do
        players.again(id, {})
    end
    for _, id in ipairs(there) do
        if not tokens[id] then
            players.again(id, { fresh = true })
        end
    end
    return 200
end

local function finish(order)
    for _, waiter in ipairs(order.waiters or {}) do
        waiter:resolve(true)
    end
end

-- registerSome does what is due.
local function registerSome()
    local orders, ask, old, new = {}, {}, {}, {}
    local n = 0
    for id, order in pairs(due) do
        orders[id] = order
        n = n + 1
        if n >= BATCH then
            break
        end
    end
    for id in pairs(orders) do
        due[id] = nil
        if not look(id) then
            finish(orders[id])
            orders[id] = nil
        elseif callbacks.any() and (orders[id].fresh or known[id].missing or not known[id].answers) then
            ask[#ask + 1] = id
        end
    end
    answerAll(ask, GetGameTimer() + LATER)
    for id in pairs(orders) do
        local player = known[id]
        if player and not tokens[id] then
            new[#new + 1] = id
        elseif player and fingerprint(player) ~= player.sent then
            old[#old + 1] = id
        end
    end
    for _, group in ipairs({ { new, false }, { old, true } }) do
        if #group[1] > 0 then
            local status, why = register(group[1], false, group[2])
            if status ~= 200 then
                for id, order in pairs(orders) do
                    players.again(id, order)
                end
                return status, why
            end
        end
    end
    for _, order in pairs(orders) do
        finish(order)
    end
    return 200
end

local function dropOne()
    local id = next(gone)
    local status, _, why = http.request('POST', '/api/player/drop', { serverId = id })
    if status ~= 200 and http.again(status) then
        return status, why
    end
    gone[id] = nil -- unknown there is gone, too
    return 200
end

-- fetch gets the operator's callbacks; new ones are asked about everybody.
local function fetch()
    local asked = wanted
    local status, why, new = callbacks.fetch(asked)
    if status ~= 200 and http.again(status) then
        return status, why
    end
    if wanted == asked then
        wanted = nil
    end
    if new and complete then
        players.all()
    end
    return 200
end

-- abandon forgets what the service will not take as it is; the next round tries again.
local function abandon()
    for _, order in pairs(due) do
        finish(order)
    end
    due, gone = {}, {}
end

-- work does what there is to do, until nothing is left.
local function work()
    local pauses = http.pauses()
    while true do
        local status, why
        if wanted then
            status, why = fetch()
        elseif everything then
            everything = false
            status, why = registerAll()
            everything = everything or status ~= 200
        elseif next(gone) then
            status, why = dropOne()
        elseif next(due) then
            status, why = registerSome()
            if status ~= 200 and not http.again(status) then
                abandon()
            end
        else
            return
        end
        if status == 200 then
            pauses.reset()
        else
            Radio.complain('players: ' .. tostring(why))
            pauses.wait()
        end
    end
end

local function start()
    if working or not (complete or everything) then
        return -- before the first snapshot there is nothing to ask for
    end
    working = true
    CreateThread(function()
        local ok, why = pcall(work)
        working = false
        if not ok then
            Radio.complain('players: ' .. tostring(why))
            everything = true
            SetTimeout(1000, start)
        end
    end)
end

-- players.again looks at a player again. order.fresh: the callbacks, too; order.waiters
-- are promises to keep when it is done.
function players.again(id, order)
    local before = due[id] or {}
    due[id] = { fresh = before.fresh or order.fresh, waiters = before.waiters or {} }
    for _, waiter in ipairs(order.waiters or {}) do
        table.insert(due[id].waiters, waiter)
    end
    start()
end

-- players.renew is the same for whoever wants to wait for it: it yields.
function players.renew(id)
    if not GetPlayerName(id) then
        return
    end
    local done = promise.new()
    players.again(id, { fresh = true, waiters = { done } })
    Citizen.Await(done)
end

-- players.all looks at everybody again; the promises are kept when that is done.
function players.all()
    local waiters = {}
    for _, id in ipairs(online()) do
        local done = promise.new()
        waiters[#waiters + 1] = done
        players.again(id, { fresh = true, waiters = { done } })
    end
    return waiters
end

-- players.replace registers everybody: the service does not know who is here.
function players.replace()
    everything = true
    start()
end

function players.token(id)
    return tokens[id]
end

-- players.known says whether a player is on the server and registered.
function players.known(id)
    return known[id] ~= nil and known[id].sent ~= nil
end

local function following(_, id)
    local player
    repeat
        id, player = next(known, id)
    until not id or player.sent
    return id
end

-- players.here iterates over all of those.
function players.here()
    return following
end

function players.count()
    local n = 0
    for _ in players.here() do
        n = n + 1
    end
    return n
end

-- Joining and leaving ------------------------------------------------------------

AddEventHandler('playerJoining', function()
    local src = tonumber(source)
    gone[src], known[src], tokens[src] = nil, nil, nil
    players.again(src, { fresh = true })
end)

AddEventHandler('playerDropped', function()
    local src = tonumber(source)
    known[src], tokens[src], said[src] = nil, nil, nil
    if due[src] then
        finish(due[src])
        due[src] = nil
    end
    gone[src] = true
    start()
end)

-- What a refresh export asks for is asked here first, and sent with the player.
Radio.before.refreshNacId = function(request)
    players.renew(request.serverId)
end
Radio.before.refreshSubscriber = Radio.before.refreshNacId
Radio.before.refreshPlayerInfo = function()
    for _, done in ipairs(players.all()) do
        Citizen.Await(done)
    end
end

-- The configuration says what to ask for.
picture.watch(function(kind, _, config)
    if kind == 'config' then
        permissions.configure(config)
        configured = config.callbacks or {}
        wanted = configured
        if complete then
            players.all()
        end
    end
end)

-- The framework that config.lua uses starts after the radio, or again.
AddEventHandler('onServerResourceStart', function(name)
    if callbacks.outdated(name) then
        wanted = configured
        start()
    end
end)

-- players.rounds looks at everybody again, one after the other, for ever.
function players.rounds()
    while true do
        local ids = online()
        for _, id in ipairs(ids) do
            Wait(ROUND // #ids)
            if known[id] then
                players.again(id, {})
            end
        end
        if #ids == 0 then
            Wait(ROUND)
        end
    end
end
