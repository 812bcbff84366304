-- 3D voice: where the radios are that a player hears around itself. Who talks may be far
-- away, and farther than the game shows other players to a client; its voice comes out of
-- the radios near the listener, so it is their places that are sent.

local scene = {}
Radio.scene = scene

-- How often, in ms, while somebody talks, and while more than CROWD do: one look costs the
-- server about 2 ms with 100 talkers among 200 players. The places of the listeners' ears
-- do not wait for it: clients tell their pages ten times a second.
local EVERY, EVERY_CROWDED, CROWD = 250, 500, 32

-- Metres within which a radio is overheard if the service does not say; its default.
local RANGE = 25

-- The service decides who hears what. Beyond its range a little more is told, so that a
-- voice that comes nearer has a place at once.
local MARGIN = 1.2

local picture, positions = Radio.picture, Radio.positions
local floor = math.floor

local talkers = {} -- id -> the frequencies on which it is heard
local told = {} -- players who have a scene with somebody in it
local running = false

-- loud says whether a user's radio plays aloud.
local function loud(user)
    local radio = user.radio or {}
    return radio.power ~= false and not radio.earbuds
end

-- A square is numbered by its column times ROW, more than any map has, plus its row. AROUND
-- leads to half of its neighbours; the other half find it.
local ROW = 1000000
local AROUND = { 1, ROW - 1, ROW, ROW + 1 }

-- Places are those of positions.all: { id, x, y, z }.

-- meet notes two places that are within a limit of each other, the distance squared.
local function meet(near, p, q, limit)
    local x, y, z = p[2] - q[2], p[3] - q[3], p[4] - q[4]
    local d = x * x + y * y + z * z
    if d <= limit then
        local a, b = near[p], near[q]
        if not a then
            a = {}
            near[p] = a
        end
        if not b then
            b = {}
            near[q] = b
        end
        local n, m = #a, #b
        a[n + 1], a[n + 2] = q, d
        b[m + 1], b[m + 2] = p, d
    end
end

-- neighbours are, of each place that is not alone within a size, the others there:
-- { [place] = { other, distance squared, … } }.
local function neighbours(at, size)
    local near, grid, limit = {}, {}, size * size
    for _, p in pairs(at) do
        local key = p[2] // size * ROW + p[3] // size
        local square = grid[key]
        if square then
            square[#square + 1] = p
        else
            grid[key] = { p }
        end
    end
    for key, square in pairs(grid) do
        for i = 1, #square do
            for j = i + 1, #square do
                meet(near, square[i], square[j], limit)
            end
        end
        for i = 1, #AROUND do
            local other = grid[key + AROUND[i]]
            for j = 1, other and #square or 0 do
                for k = 1, #other do
                    meet(near, square[j], other[k], limit)
                end
            end
        end
    end
    return near
end

-- What a listener has near: { radio, distance squared, the nearest but that one or false,
-- its distance }. There are hundreds in each look, so they are used again in the next.
local used, spare = 0, {}
local function nearest(p, d)
    used = used + 1
    local b = spare[used]
    if not b then
        b = {}
        spare[used] = b
    end
    b[1], b[2], b[3], b[4] = p, d, false, math.huge
    return b
end

-- nearer notes the radios of ids with those who hear them.
local function nearer(best, at, near, ids)
    for i = 1, ids and #ids or 0 do
        local id = ids[i]
        local p = at[id]
        local around = near[p or false]
        if around and loud(picture.user(id)) then
            for j = 1, #around, 2 do
                local q, d = around[j], around[j + 1]
                local b = best[q]
                if not b then
                    best[q] = nearest(p, d)
                elseif d < b[2] then
                    b[1], b[2], b[3], b[4] = p, d, b[1], b[2]
                elseif d < b[4] and b[1] ~= p then
                    b[3], b[4] = p, d
                end
            end
        end
    end
end

-- together groups the talkers by what they are heard on, since the same radios play them:
-- a list of groups, and the group of each talker.
local function together()
    local groups, of = {}, {}
    for talker, frequencies in pairs(talkers) do
        local key = frequencies[2] and table.concat(frequencies, ' ') or frequencies[1]
        local group = groups[key]
        if not group then
            group = { frequencies = frequencies }
            groups[key] = group
        end
        group[#group + 1] = talker
        of[talker] = group
    end
    return groups, of
end

-- played is what a radio plays of a group: { x, y, z, talker, … } in metres with one
-- decimal, without its own player and the listener. nil: nothing.
local function played(p, group, listener)
    local own = p[1]
    local list, n = { floor(p[2] * 10) / 10, floor(p[3] * 10) / 10, floor(p[4] * 10) / 10 }, 3
    for i = 1, #group do
        local talker = group[i]
        if talker ~= own and talker ~= listener then
            n = n + 1
            list[n] = talker
        end
    end
    return n > 3 and list or nil
end

-- look finds for every listener the nearest radio that plays each talker, other than its
-- own and the talker's: { [listener] = { { x, y, z, talker, … }, … } }.
local function look()
    local size = (tonumber(picture.config().audio3DRange) or RANGE) * MARGIN
    local heard = {}
    if size <= 0 then
        return heard
    end
    local at = positions.all()
    local near = neighbours(at, size)
    local groups, of = together()
    used = 0
    for _, group in pairs(groups) do
        local best, plays = {}, {}
        for _, key in ipairs(group.frequencies) do
            local speakers, listeners = picture.radios(key)
            nearer(best, at, near, speakers)
            nearer(best, at, near, listeners)
        end
        for q, b in pairs(best) do
            local id, p, second = q[1], b[1], b[3]
            local list = heard[id] or {}
            if of[id] == group then
                list[#list + 1] = played(p, group, id)
            else -- the same for all others
                if plays[p] == nil then
                    plays[p] = played(p, group) or false
                end
                list[#list + 1] = plays[p] or nil
            end
            if second and of[p[1]] == group then -- its player talks: that voice comes from the next
                list[#list + 1] = { floor(second[2] * 10) / 10, floor(second[3] * 10) / 10, floor(second[4] * 10) / 10, p[1] }
            end
            if list[1] then
                heard[id] = list
            end
        end
    end
    return heard
end

local function send()
    local heard = look()
    for id in pairs(told) do
        if not heard[id] then
            told[id] = nil
            TriggerClientEvent('radio:scene', id, { radios = {} })
        end
    end
    for id, list in pairs(heard) do
        told[id] = true
        TriggerClientEvent('radio:scene', id, { radios = list })
    end
end

local function interval()
    local n = 0
    for _ in pairs(talkers) do
        n = n + 1
    end
    return n > CROWD and EVERY_CROWDED or EVERY
end

local function run()
    while next(talkers) do
        local ok, why = pcall(send)
        if not ok then
            Radio.complain('3D voice: ' .. tostring(why))
        end
        local every = interval()
        Wait(every - GetGameTimer() % every) -- with the positions that the service is told
    end
    running = false
    for id in pairs(told) do
        TriggerClientEvent('radio:scene', id, { radios = {} })
    end
    told = {}
end

picture.watch(function(kind, id, user)
    if kind ~= 'user' then
        return
    end
    talkers[id] = user and user.talking and user.talking[1] and user.talking or nil
    if next(talkers) and not running then
        running = true
        CreateThread(run)
    end
end)

AddEventHandler('playerDropped', function()
    told[tonumber(source)] = nil
end)
