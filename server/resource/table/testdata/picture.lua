-- A picture that has followed thousands of random changes, with changes of scripts laid
-- over it and taken away again, answers as one that has only seen the last snapshot.

local radio, testdata, seed, steps = ...

-- The numbers are our own, so that every Lua makes the same test.
local function random(n)
    seed = (seed * 16807) % 2147483647
    return seed % n + 1
end

local chunks = {}
for i, file in ipairs({ 'shared/table', 'shared/common', 'server/picture', 'server/act', 'server/exports' }) do
    chunks[i] = loadfile(radio .. file .. '.lua')
end

local function fresh()
    Radio = {}
    for _, chunk in ipairs(chunks) do
        chunk()
    end
    Radio.send = function() end
    Radio.source = Radio.picture
    return Radio
end

local world = loadfile(testdata .. 'world.lua')
local frequencies = { '154.755', '460.25', '463', '856.1125' }
local working = { '856.125', '856.1375' }

-- user is a random user with an id.
local function user(id)
    local u = { serverId = id, name = 'Unit ' .. id, nacId = random(2) == 1 and 'LSPD' or nil, access = true, connected = true,
        listening = {}, talking = {}, panic = {}, aces = {}, class = 0, radio = {} }
    local where = random(6)
    if where <= 4 then
        u.channel = frequencies[where]
    elseif where == 5 then
        u.channel, u.controlFrequency = working[random(2)], '856.1125'
    end
    for _, list in ipairs({ 'listening', 'talking', 'panic' }) do
        for _ = 1, random(3) - 1 do
            local f = list == 'listening' and random(4) == 1 and working[random(2)] or frequencies[random(4)]
            u[list] = Radio.picture.with(u[list], f, true)
        end
    end
    return u
end

local function copy(v)
    if type(v) ~= 'table' then
        return v
    end
    local c = {}
    for k, x in pairs(v) do
        c[k] = copy(x)
    end
    return c
end

-- answers are everything that can be asked, as text.
local function answers(r)
    local out = {}
    for _, key in ipairs({ '154.755', '460.25', '463', '856.1125', '856.125', '856.1375' }) do
        for _, export in ipairs({ 'getSpeakersInChannel', 'getListenersInChannel', 'getActiveTalkersInChannel', 'getAllUsersInChannel' }) do
            local ids = r.functions.server[export](key)
            out[#out + 1] = export .. ' ' .. key .. ' ' .. (ids and table.concat(ids, ',') or 'nil')
        end
        for id = 1, 20 do
            if r.functions.server.getUserPanicState(id, key) then
                out[#out + 1] = 'panic ' .. id .. ' ' .. key
            end
            if r.functions.server.isUserTalking(id, key) then
                out[#out + 1] = 'talks ' .. id .. ' ' .. key
            end
        end
        local alert = r.functions.server.getChannelAlert(key)
        out[#out + 1] = 'alert ' .. key .. ' ' .. (alert and alert.name or 'none')
    end
    for id = 1, 20 do
        out[#out + 1] = id .. ' ' .. tostring(r.functions.server.getPlayerName(id)) .. ' ' .. tostring(r.functions.server.getPlayerNacId(id))
    end
    out[#out + 1] = table.concat(r.functions.server.getActiveChannels(), ' ')
    return table.concat(out, '\n')
end

local one = fresh()
local state = world()
one.picture.reset(copy(state))
local users = {}
for _, u in ipairs(state.users) do
    users[u.serverId] = u
end
state.users = nil
local laid = {}

local function snapshot()
    local s = copy(state)
    s.users = {}
    for _, u in pairs(users) do
        s.users[#s.users + 1] = copy(u)
    end
    return s
end

for step = 1, steps do
    local what, id = random(12), random(20)
    if what <= 4 then
        users[id] = user(id)
        local change = copy(users[id])
        change.type, change.seq = 'user', step
        one.picture.apply(change)
    elseif what == 5 then
        users[id] = nil
        one.picture.apply({ type = 'gone', serverId = id })
    elseif what <= 7 and users[id] then
        local f, is = frequencies[random(4)], random(2) == 1
        users[id].talking = one.picture.with(users[id].talking, f, is)
        one.picture.apply({ type = 'talking', serverId = id, frequency = f, state = is })
    elseif what == 8 then
        local f = frequencies[random(4)]
        state.alerts[f] = random(2) == 1 and { name = 'A' .. step, isPersistent = true } or nil
        one.picture.apply({ type = 'alert', frequency = f, alert = copy(state.alerts[f]) })
    elseif what == 9 then
        one.picture.reset(snapshot())
    elseif what <= 11 then
        one.send = function(_, op)
            if op then
                laid[#laid + 1] = op
            end
        end
        Radio = one -- whose functions act on it
        one.functions.server.setUserChannel(id, frequencies[random(4)])
        one.functions.server.setChannelPanic(frequencies[random(4)], id, random(2) == 1)
        one.functions.server.setAlertOnChannel(frequencies[random(4)], random(2) == 1)
    elseif #laid > 0 then
        one.picture.lift(table.remove(laid, random(#laid)))
    end
    -- Somebody looks all the time, so that what is remembered of a list is tried too.
    for _, key in ipairs(frequencies) do
        one.functions.server.getChannelInfo(key)
    end
    if step % 10 == 0 then
        -- What is on its way is taken away: then both must agree.
        for _, op in ipairs(laid) do
            one.picture.lift(op)
        end
        laid = {}
        local other = fresh()
        other.picture.reset(snapshot())
        Radio = other
        local want = answers(other)
        Radio = one
        local got = answers(one)
        if got ~= want then
            return ('after %d steps:\n%s\n\nnot\n\n%s'):format(step, got, want)
        end
    end
end
return ''
