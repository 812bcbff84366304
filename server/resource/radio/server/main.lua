-- The resource's server side starts here.

local convars, picture, players, mirror, outbox, rate = Radio.convars, Radio.picture, Radio.players, Radio.mirror, Radio.outbox, Radio.rate

local me = GetCurrentResourceName()

-- The name that scripts expect, whatever the folder is called.
local USUAL = 'radio'

Radio.version = GetResourceMetadata(me, 'version', 0) or 'unknown'
Radio.now = GetGameTimer
Radio.log = print -- the game adds whose line it is
Radio.source = picture

-- Exports ------------------------------------------------------------------------

-- limited keeps resources that are not on the operator's list (radio_callers) from
-- changing the radio of others.
local function limited(entry, fn)
    if not entry.changes then
        return fn
    end
    return function(...)
        local caller = GetInvokingResource()
        if convars.callers and caller and caller ~= me and not convars.callers[caller] then
            Radio.complain(('%s may not call %s: it is not in radio_callers'):format(caller, entry.name))
            return entry.failure
        end
        return fn(...)
    end
end

local published = {}
for _, entry in ipairs(Radio.exports.server) do
    local fn = limited(entry, Radio.functions.server[entry.name])
    for _, name in ipairs({ entry.name, table.unpack(entry.alias or {}) }) do
        published[name] = fn
        exports(name, fn)
    end
end

-- answerTo makes the exports answer to another resource's name too, if there is no such
-- resource: the scripts' name for a folder that was renamed.
local others = {}
local function answerTo(name)
    if type(name) ~= 'string' or name == '' or name == me or others[name] or GetResourceState(name) ~= 'missing' then
        return
    end
    others[name] = true
    for export, fn in pairs(published) do
        AddEventHandler(('__cfx_export_%s_%s'):format(name, export), function(give)
            give(fn)
        end)
    end
end
answerTo(USUAL)

-- State bags -----------------------------------------------------------------------

-- radioTalking and radioChannel of a player are for other resources to look at; nothing
-- here reads them, because clients can write their own.
local bags = {}
local function publish(id, user)
    if id <= 0 then
        return
    end
    local talking = user ~= nil and user.talking ~= nil and user.talking[1] ~= nil
    local channel = user and user.channel and (user.controlFrequency or user.channel) or false
    local bag = bags[id]
    if not bag then
        if not GetPlayerName(id) then -- a user of the radio who is not on this server
            return
        end
        bag = { state = Player(id).state }
        bags[id] = bag
    end
    if bag.talking ~= talking then
        bag.talking = talking
        bag.state:set('radioTalking', talking, true)
    end
    if bag.channel ~= channel then
        bag.channel = channel
        bag.state:set('radioChannel', channel, true)
    end
end

-- What has changed is published once, with the next tick.
local changed
local function publishAll()
    local ids = changed
    changed = nil
    local users = picture.users()
    for id in pairs(ids) do
        publish(id, users[id])
    end
end

picture.watch(function(kind, id, user)
    if kind == 'user' then
        if not changed then
            changed = {}
            SetTimeout(0, publishAll)
        end
        changed[id] = true
    elseif kind == 'config' then
        answerTo(user.resourceName)
    end
end)

AddEventHandler('playerDropped', function()
    bags[tonumber(source)] = nil
end)

-- For the operator -------------------------------------------------------------------

RegisterCommand('radio_status', function(from)
    if from ~= 0 then
        return -- the console only
    end
    local epoch, position = mirror.position()
    local users, dropped = 0, {}
    for _ in pairs(picture.users()) do
        users = users + 1
    end
    for id, n in pairs(rate.dropped) do
        dropped[#dropped + 1] = ('%d: %d'):format(id, n)
    end
    for _, line in ipairs({
        ('version %s of the resource, %s of the service at %s'):format(Radio.version, picture.config().version or 'unknown', convars.url or 'no address'),
        mirror.stale and 'not connected: ' .. (mirror.reason or 'no answer yet') or ('connected, change %s of %s'):format(position, epoch),
        ('%d users known, %d players registered, %d changes waiting'):format(users, players.count(), outbox.length()),
        ('%d answers, %d changes since the start'):format(mirror.polls, mirror.changes),
        'events dropped, by player: ' .. (#dropped > 0 and table.concat(dropped, ', ') or 'none'),
    }) do
        Radio.log(line)
    end
end, true)

-- Start --------------------------------------------------------------------------------

local mistakes, notes = convars.read()
for _, line in ipairs(notes) do
    Radio.log(line)
end
if #mistakes > 0 then
    for _, line in ipairs(mistakes) do
        Radio.log('^1' .. line .. '^7')
    end
    Radio.log('The radio does not start; every export returns its failure value.')
    return
end

Radio.log(('version %s, service at %s'):format(Radio.version, convars.url))
CreateThread(mirror.run)
CreateThread(Radio.positions.run)
CreateThread(players.rounds)

-- The pages have kept the callsigns.
TriggerClientEvent('radio:resyncCallsign', -1)

AddEventHandler('onResourceStop', function(name)
    if name ~= me then
        return
    end
    -- Callers keep an export until the resource that they called stops; those that know us
    -- by another name must hear of it too.
    for other in pairs(others) do
        TriggerEvent('onServerResourceStop', other)
    end
end)
