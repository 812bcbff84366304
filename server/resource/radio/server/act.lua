-- The exports that change something. Each is checked against the picture, laid over it so
-- that its effect is seen at once, and sent. Whether it is allowed the service decides:
-- what is foreseen here are only the refusals that need no rule of the radio, such as a
-- channel that does not exist. Anything else that it refuses is taken back and printed.
--
-- Runs in Lua 5.1 and 5.4, see picture.lua.

local picture = Radio.picture

-- It is sent by Radio.send(request, op): outbox.lua in the game. op is what was laid over the
-- picture, nil if nothing was.

-- user finds whom a change is for.
local function user(args)
    return picture.user(args.serverId)
end

-- onUser and onAlert make an op.
local function onUser(args, change)
    return { user = args.serverId, change = change }
end

local function onAlert(key, change)
    return { alert = key, change = change }
end

-- resolve finds the alert that a script names. known is false if there surely is none:
-- beyond ASCII the service compares upper and lower case, Lua cannot.
local function resolve(ref)
    local types = picture.alertTypes()
    if ref == nil then
        return types[1], types[1] ~= nil
    elseif type(ref) == 'number' then
        return types[ref], types[ref] ~= nil
    end
    for _, alert in ipairs(types) do
        if alert.name:lower() == ref:lower() then
            return alert, true
        end
    end
    return nil, ref:find('[\128-\255]') ~= nil
end

-- checks give true and an op, or true alone if nothing can be shown before the service
-- has answered, or false: the change is impossible.
local checks = {
    setUserChannel = function(args)
        local u, key = user(args), args.frequency
        if not u or not u.connected or not u.access or not picture.home(key) then
            return false
        end
        if u.channel == key or u.controlFrequency == key then
            return true
        end
        local above = picture.home(key)
        return true, onUser(args, function(record)
            record.channel, record.controlFrequency = key, above ~= key and above or nil
        end)
    end,
    disconnectUser = function(args)
        local u = user(args)
        if not u or not u.connected then
            return false
        end
        return true, onUser(args, function(record)
            record.connected, record.channel, record.controlFrequency = false, nil, nil
            record.listening, record.talking = {}, {}
        end)
    end,
    setAlertOnChannel = function(args)
        local at = picture.home(args.frequency)
        if not at then
            return false
        end
        local alert, known = resolve(args.alert)
        local plays = alert and not alert.isPersistent
        local stands = picture.alert(at)
        if args.enabled == false or (args.enabled == nil and stands and not (args.alert ~= nil and plays)) then
            return true, stands and onAlert(at, function() return nil end)
        elseif not known then
            return false
        elseif plays or not alert then
            return true
        end
        return true, onAlert(at, function() return alert end)
    end,
    setChannelPanic = function(args)
        local at = picture.home(args.frequency)
        if not at or not user(args) then
            return false
        end
        return true, onUser(args, function(record)
            record.panic = picture.with(record.panic, at, args.enabled)
        end)
    end,
    setUserNacId = function(args)
        local nac = args.nacId:match('^%s*(.-)%s*$')
        if not user(args) or nac == '' then
            return false
        end
        return true, onUser(args, function(record)
            record.nacId = nac
        end)
    end,
    setCallsign = function(args)
        if not user(args) or not picture.config().useCallsignSystem then
            return false
        end
        return true, onUser(args, function(record)
            record.callsign = args.callsign
        end)
    end,
    refreshNacId = function(args)
        return args.serverId > 0 and user(args) ~= nil
    end,
    refreshSubscriber = function(args)
        return args.serverId > 0 and user(args) ~= nil
    end,
    refreshPlayerInfo = function()
        return true
    end,
    playToneOnChannel = function(args)
        return picture.home(args.frequency) ~= nil
    end,
    playToneOnSource = function(args)
        return user(args) ~= nil
    end,
}

-- players counts who is refreshed by refreshPlayerInfo.
local function players()
    local n = 0
    for id in pairs(picture.users()) do
        if id > 0 then
            n = n + 1
        end
    end
    return n
end

function picture.act(name, args)
    local possible, op = checks[name](args)
    if not possible then
        return false
    end
    if op then
        picture.lay(op)
    end
    local request = { ['do'] = name }
    for k, v in pairs(args) do
        request[k] = v
    end
    Radio.send(request, op)
    if name == 'refreshPlayerInfo' then
        return players()
    end
    return true
end
