-- The picture: what the service last told about the radio, with the changes that it has
-- been asked for laid over it. It answers the exports (it is their Radio.source) and
-- knows no network; mirror.lua feeds it, act.lua lays changes over it.
--
-- Like exports.lua, it runs in Lua 5.1 and 5.4: the table test runs it in each.

local picture = {}
Radio.picture = picture

local ready = false -- the first snapshot is here
local config = {} -- the service's configuration
local configured = {} -- canonical frequency -> its entry in the configuration (the first, if two zones have it)
local classes = {} -- verdicts: what users may do, by class number from 0
local base = { users = {}, alerts = {} } -- as the service told it
local users = {} -- id -> record as the exports show it
local alerts = {} -- frequency -> alert as the exports show it
local laid = { users = {}, alerts = {} } -- id or frequency -> changes on their way, oldest first
local places = {} -- frequency -> who is there, see place
local groups = {} -- base of a talkgroup -> { [working frequency] = number of its units }
local control = {} -- working frequency -> base of its talkgroup
local watchers = {}

-- Who is where ---------------------------------------------------------------

-- place is everybody on one frequency; sorted lists are made when they are asked for.
local function place(key)
    local p = places[key]
    if not p then
        p = { speakers = {}, listeners = {}, activeTalkers = {}, panics = {} }
        places[key] = p
    end
    return p
end

-- touch forgets the lists of a frequency and of the talkgroup that it works for.
local function touch(key)
    place(key).lists = nil
    local above = control[key]
    if above then
        place(above).lists = nil
    end
end

local function sorted(set)
    local ids = {}
    for id in pairs(set) do
        ids[#ids + 1] = id
    end
    table.sort(ids)
    return ids
end

local function mark(key, list, id, is)
    place(key)[list][id] = is
    touch(key)
end

-- markTalking is the same for talkers: nobody has moved, so only the list of talkers is
-- made anew.
local function markTalking(key, id, is)
    local p = place(key)
    p.activeTalkers[id], p.talkers = is, nil
end

-- group counts a unit in or out of a working frequency.
local function group(working, above, by)
    local units = groups[above] or {}
    groups[above] = units
    units[working] = (units[working] or 0) + by
    control[working] = above
    place(above).lists = nil
    if units[working] <= 0 then
        units[working] = nil
        control[working] = nil
    end
end

-- enter puts a user on all its places; with is = nil it leaves them.
local function enter(user, is)
    local id = user.serverId
    if user.channel then
        if user.controlFrequency and is then
            group(user.channel, user.controlFrequency, 1)
        end
        mark(user.channel, 'speakers', id, is)
        if user.controlFrequency then
            mark(user.controlFrequency, 'speakers', id, is)
            if not is then
                group(user.channel, user.controlFrequency, -1)
            end
        end
    end
    for _, key in ipairs(user.listening or {}) do
        mark(key, 'listeners', id, is)
    end
    for _, key in ipairs(user.talking or {}) do
        markTalking(key, id, is)
    end
    for _, key in ipairs(user.panic or {}) do
        mark(key, 'panics', id, is)
    end
end

-- lists are the sorted ids of who speaks and who listens on a frequency. Whoever listens to
-- a working frequency of a talkgroup is a listener of its base, too.
local function lists(key)
    local p = place(key)
    if not p.lists then
        local listeners = p.listeners
        if groups[key] and next(groups[key]) then
            listeners = {}
            for id in pairs(p.listeners) do
                listeners[id] = true
            end
            for working in pairs(groups[key]) do
                for id in pairs(place(working).listeners) do
                    listeners[id] = true
                end
            end
        end
        p.lists = { speakers = sorted(p.speakers), listeners = sorted(listeners) }
    end
    return p.lists
end

-- talkers are the sorted ids of who talks on a frequency.
local function talkers(key)
    local p = place(key)
    p.talkers = p.talkers or sorted(p.activeTalkers)
    return p.talkers
end

-- home is the configured frequency that one belongs to: itself, or the talkgroup whose
-- working frequency it is. nil: there is no such channel.
local function home(key)
    if configured[key] then
        return key
    end
    return control[key]
end
picture.home = home

-- Users and alerts -----------------------------------------------------------

local function tell(kind, id, value)
    for _, watcher in ipairs(watchers) do
        watcher(kind, id, value)
    end
end

-- picture.watch calls fn('user', id, record or nil) and fn('config', nil, config) after
-- each change.
function picture.watch(fn)
    watchers[#watchers + 1] = fn
end

local function copy(record)
    local c = {}
    for k, v in pairs(record) do
        c[k] = v
    end
    return c
end

-- show makes a user's record anew from what the service told and what is laid over it.
-- change may alter what was told.
local function show(id, change)
    if users[id] then
        enter(users[id], nil)
        users[id] = nil
    end
    if change then
        change()
    end
    local user = base.users[id]
    if user and laid.users[id] then
        user = copy(user)
        for _, op in ipairs(laid.users[id]) do
            op.change(user)
        end
    end
    if user then
        users[id] = user
        enter(user, true)
    end
    tell('user', id, user)
end

local function showAlert(key)
    local alert = base.alerts[key]
    for _, op in ipairs(laid.alerts[key] or {}) do
        alert = op.change(alert)
    end
    alerts[key] = alert
end

-- with is a list of texts with or without one of them; the old list stays as it is.
local function with(list, text, is)
    local new = {}
    for _, t in ipairs(list or {}) do
        if t ~= text then
            new[#new + 1] = t
        end
    end
    if is then
        new[#new + 1] = text
    end
    return new
end
picture.with = with

-- Changes of the service -----------------------------------------------------

local function setConfig(new)
    config, configured = new, {}
    for _, zone in ipairs(new.zones or {}) do
        for _, channel in ipairs(zone.channels or {}) do
            channel.zone = zone.name
            configured[channel.frequency] = configured[channel.frequency] or channel
        end
    end
    tell('config', nil, new)
end

local apply = {
    user = function(change)
        change.type, change.seq = nil, nil
        show(change.serverId, function()
            base.users[change.serverId] = change
        end)
    end,
    gone = function(change)
        show(change.serverId, function()
            base.users[change.serverId] = nil
        end)
    end,
    talking = function(change)
        local id, key, state = change.serverId, change.frequency, change.state
        local user = base.users[id]
        if not user then
            return
        end
        if users[id] == user then -- nothing laid over: by far the most frequent change
            user.talking = with(user.talking, key, state)
            markTalking(key, id, state or nil)
            tell('user', id, user)
        else
            show(id, function()
                user.talking = with(user.talking, key, state)
            end)
        end
    end,
    alert = function(change)
        base.alerts[change.frequency] = change.alert
        showAlert(change.frequency)
    end,
    patches = function(change)
        picture.patches = change.patches
    end,
    classes = function(change)
        classes = change.classes
    end,
    config = function(change)
        setConfig(change.config)
    end,
}

-- picture.apply takes one change. Types that a newer service may send are left alone.
function picture.apply(change)
    local fn = apply[change.type]
    if fn then
        fn(change)
    end
end

-- picture.reset replaces everything by a snapshot. What is laid over it stays: its
-- changes are still on their way. Watchers are not told in between that a user who is in
-- both has gone.
function picture.reset(state)
    local new = {}
    for _, user in ipairs(state.users or {}) do
        new[user.serverId] = user
    end
    classes, picture.patches = state.classes or {}, state.patches or {}
    setConfig(state.config or {})
    for id in pairs(copy(base.users)) do
        if not new[id] then
            show(id, function()
                base.users[id] = nil
            end)
        end
    end
    for id, user in pairs(new) do
        show(id, function()
            base.users[id] = user
        end)
    end
    local before = base.alerts
    base.alerts = state.alerts or {}
    for _, of in ipairs({ before, base.alerts }) do
        for key in pairs(of) do
            showAlert(key)
        end
    end
    ready = true
end

-- What is laid over ----------------------------------------------------------

-- over lists the changes on their way at one place.
local function over(op)
    if op.user then
        return laid.users, op.user
    end
    return laid.alerts, op.alert
end

local function reshow(op)
    if op.user then
        show(op.user)
    else
        showAlert(op.alert)
    end
end

-- picture.lay lays a change over the picture: op.user or op.alert says where, op.change
-- what.
function picture.lay(op)
    local at, key = over(op)
    at[key] = at[key] or {}
    at[key][#at[key] + 1] = op
    reshow(op)
end

-- picture.lift takes it away again.
function picture.lift(op)
    local at, key = over(op)
    local left = {}
    for _, other in ipairs(at[key] or {}) do
        if other ~= op then
            left[#left + 1] = other
        end
    end
    at[key] = #left > 0 and left or nil
    reshow(op)
end

-- What the exports ask -------------------------------------------------------

function picture.ready()
    return ready
end

function picture.config()
    return config
end

-- picture.users are all users by id. Read only.
function picture.users()
    return users
end

function picture.user(id)
    return users[id]
end

function picture.channel(key)
    if not home(key) then
        return nil
    end
    local l = lists(key)
    return { frequency = key, speakers = l.speakers, listeners = l.listeners, activeTalkers = talkers(key) }
end

-- picture.radios are the ids of those whose radios play a frequency: who speaks there and
-- who listens. Read only. nil: there is no such channel.
function picture.radios(key)
    if not home(key) then
        return nil
    end
    local l = lists(key)
    return l.speakers, l.listeners
end

-- shown is a configured channel with who is on it now.
local function shown(channel)
    local key = channel.frequency
    local l, p = lists(key), place(key)
    local on, ids = {}, {}
    for _, of in ipairs({ l.speakers, l.listeners }) do
        for _, id in ipairs(of) do
            on[id] = true
        end
    end
    for i, id in ipairs(sorted(on)) do
        local user = users[id]
        ids[i] = {
            id = tostring(id), name = user.name, nacId = user.nacId, unitId = user.unitId,
            transmitting = p.activeTalkers[id] == true, panic = p.panics[id] == true,
        }
    end
    local c = copy(channel)
    c.listeners, c.users = #l.listeners, ids
    return c
end

function picture.channels()
    local all = {}
    for _, zone in ipairs(config.zones or {}) do
        for _, channel in ipairs(zone.channels or {}) do
            local c = shown(channel)
            c.zone = zone.name
            all[#all + 1] = c
        end
    end
    return all
end

function picture.active()
    local keys, active = {}, {}
    for key in pairs(places) do -- not while lists are made, which may add places
        keys[#keys + 1] = key
    end
    for _, key in ipairs(keys) do
        if home(key) and (next(lists(key).speakers) or next(lists(key).listeners)) then
            active[#active + 1] = key
        end
    end
    table.sort(active, function(a, b)
        return tonumber(a) < tonumber(b)
    end)
    return active
end

function picture.alertTypes()
    return config.alerts or {}
end

-- An alert and a panic on a talkgroup are on its base.
function picture.alert(key)
    return alerts[home(key) or '']
end

function picture.panic(key)
    local at = home(key)
    if not at then
        return nil
    end
    local all = {}
    for id in pairs(place(at).panics) do
        all[id] = true
    end
    return all
end

function picture.panicOn(id, key)
    local at = home(key)
    return at ~= nil and place(at).panics[id] == true
end

function picture.talking(id, key)
    return home(key) ~= nil and place(key).activeTalkers[id] == true
end

local function set(list)
    local s = {}
    for _, v in ipairs(list or {}) do
        s[v] = true
    end
    return s
end

-- picture.zones are the zones of a player's radio, as the service's verdict for its
-- class says.
function picture.zones(id)
    local user = users[id]
    if not user or not user.subscriber then
        return nil
    end
    local class = classes[(user.class or 0) + 1] or {}
    local connect, scan, zones = set(class.connect), set(class.scan), {}
    for _, n in ipairs(class.zones or {}) do
        local zone = config.zones and config.zones[n]
        if zone then
            local z, channels = copy(zone), {}
            for _, channel in ipairs(zone.channels or {}) do
                if connect[channel.frequency] or scan[channel.frequency] then
                    local c = shown(channel)
                    c.zone, c.canTransmit = zone.name, connect[channel.frequency] == true
                    channels[#channels + 1] = c
                end
            end
            z.channels, z.Channels = channels, nil
            zones[#zones + 1] = z
        end
    end
    return zones
end
