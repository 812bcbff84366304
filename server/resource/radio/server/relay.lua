-- Net events of the players' clients. Any client can send any of these with anything in
-- it: who it is comes from source alone, everything else is looked at before it is used,
-- and what a player asks for runs as that player inside the service, which decides
-- whether it may.

local relay = {}
Radio.relay = relay

local players, rate, http, convars = Radio.players, Radio.rate, Radio.http, Radio.convars

-- Longest SDP in bytes; a browser's offer with one track has about 6 KB.
local MAX_SDP = 16384

-- A payload: values in it, bytes of its texts, tables in tables.
local MAX_VALUES, MAX_BYTES, MAX_DEPTH = 64, 4096, 4

-- Longest id that a client gives its request, and longest callsign in bytes.
local MAX_REQUEST_ID, MAX_CALLSIGN = 64, 128

-- Offers that are with the service at once: the game makes 8 connections to one host,
-- and the mirror, the changes and the positions need theirs.
local MAX_OFFERS = 3

-- The client events that a player may run through here; the others need a connection of
-- the player's own.
local EVENTS = {
    panic = true, triggerAlert = true, setCallsign = true, radioState = true,
    setSpeakerChannel = true, addListeningChannel = true, removeListeningChannel = true,
}

local greeted = {} -- player -> the path that its page is given
local offers = 0 -- that are with the service
local offering = {} -- player -> true

-- on handles an event of a client: fn(src, data) with src from the game.
local function on(name, perSecond, burst, fn)
    RegisterNetEvent('radio:' .. name, function(data)
        local src = tonumber(source)
        if not src or src <= 0 then
            return -- not from a client
        end
        if not rate.allow(src, name, perSecond, burst) then
            return
        end
        if fn(src, data) == false then
            rate.drop(src)
        end
    end)
end

-- callsignAllowed limits changes of a callsign, whichever way they come: dispatchers are
-- told of each.
local function callsignAllowed(src)
    return rate.allow(src, 'callsign', 1, 3)
end

-- requestId is the id that a client gave its request, to be sent back with the answer.
local function requestId(id)
    if type(id) == 'string' and #id <= MAX_REQUEST_ID or math.type(id) == 'integer' then
        return id
    end
    return nil
end

-- plain copies a payload: text, numbers, booleans, and tables of them. nil, false: it is
-- something else, or too much.
local function plain(value)
    local values, bytes = 0, 0
    local function walk(v, depth)
        values = values + 1
        local kind = type(v)
        if values > MAX_VALUES or depth > MAX_DEPTH then
            error('too much', 0)
        elseif kind == 'boolean' then
            return v
        elseif kind == 'number' and v == v and v < math.huge and v > -math.huge then
            return v
        elseif kind == 'string' then
            bytes = bytes + #v
            if bytes <= MAX_BYTES and utf8.len(v) then
                return v
            end
        elseif kind == 'table' and not getmetatable(v) then
            local t = {}
            for k, x in next, v do
                if type(k) ~= 'string' and math.type(k) ~= 'integer' then
                    error('a key of another type', 0)
                end
                t[type(k) == 'string' and walk(k, depth + 1) or k] = walk(x, depth + 1)
            end
            return t
        end
        error('not plain', 0)
    end
    if value == nil then
        return nil, true
    end
    local ok, copy = pcall(walk, value, 1)
    if not ok then
        return nil, false
    end
    return copy, true
end

-- Connecting -----------------------------------------------------------------------

-- link tells a player's page how to connect. The token goes to its own player only, and
-- only where the page must show it to the service itself.
local function link(src, token)
    local message = { serverId = src, path = greeted[src], version = Radio.version }
    if message.path == 'socket' then
        message.url, message.token = convars.public, token
    end
    TriggerClientEvent('radio:link', src, message)
end

players.registered = function(id, token)
    if greeted[id] then
        link(id, token)
    end
end

-- hello {version, nui = {version, path}}: the page is there, and has no connection. path
-- 'socket' asks for the second path, after WebRTC has come to nothing; where there is no
-- https address it is WebRTC again.
on('hello', 0.5, 1, function(src, data)
    if type(data) ~= 'table' then
        return false
    end
    local asked = type(data.nui) == 'table' and data.nui.path
    greeted[src] = asked == 'socket' and convars.public and 'socket' or 'webrtc'
    local token = players.token(src)
    if token then
        link(src, token)
    end -- else when the player is registered
end)

-- offer {id, sdp}: an offer of the page's WebRTC, answered by the service.
on('offer', 0.5, 1, function(src, data)
    local id = type(data) == 'table' and requestId(data.id)
    if not id or type(data.sdp) ~= 'string' or #data.sdp > MAX_SDP or data.sdp:sub(1, 3) ~= 'v=0' or not utf8.len(data.sdp) then
        return false
    end
    if offering[src] or not players.known(src) then
        return false
    end
    offering[src] = true
    CreateThread(function()
        while offers >= MAX_OFFERS do
            Wait(0)
        end
        offers = offers + 1
        local ok, status, answer, why = pcall(http.request, 'POST', '/api/game/webrtc', { serverId = src, sdp = data.sdp })
        offers = offers - 1
        offering[src] = nil
        if not GetPlayerName(src) then
            return
        elseif ok and status == 200 and type(answer.sdp) == 'string' then
            TriggerClientEvent('radio:answer', src, { id = id, sdp = answer.sdp })
        else
            -- Why in full is for the operator: it names addresses.
            Radio.complain(('voice connection of player %d: %s'):format(src, tostring(ok and why or status)))
            TriggerClientEvent('radio:answer', src, { id = id, error = 'The radio service does not answer' })
        end
    end)
end)

-- Acting as a player -----------------------------------------------------------------

-- run runs a client event as a player.
local function run(src, name, payload, answered)
    Radio.send({ ['do'] = 'event', serverId = src, name = name, payload = payload }, { answered = answered or function() end })
end

-- relay {id, name, payload}: one of the client events above.
on('relay', 20, 40, function(src, data)
    if type(data) ~= 'table' then
        return false
    end
    local id = requestId(data.id)
    if type(data.name) ~= 'string' or not EVENTS[data.name] or not players.known(src) then
        return false
    end
    local payload, ok = plain(data.payload)
    if not ok or data.name == 'setCallsign' and not callsignAllowed(src) then
        return false
    end
    run(src, data.name, payload, function(done, result)
        if id and GetPlayerName(src) then
            TriggerClientEvent('radio:relayed', src, { id = id, ok = done, error = result.error, reply = result.reply })
        end
    end)
end)

-- sendCallsign callsign: the callsign that the player's page has kept.
on('sendCallsign', 1, 3, function(src, callsign)
    if type(callsign) ~= 'string' or #callsign > MAX_CALLSIGN or not utf8.len(callsign) or not players.known(src) or not callsignAllowed(src) then
        return false
    end
    run(src, 'setCallsign', { callsign = callsign })
end)

-- refresh {}: refreshMyNacId.
on('refresh', 0.5, 2, function(src)
    if not players.known(src) then
        return false
    end
    Radio.send({ ['do'] = 'refreshNacId', serverId = src }, { answered = function() end })
end)

AddEventHandler('playerDropped', function()
    local src = tonumber(source)
    greeted[src] = nil
    rate.forget(src)
end)
