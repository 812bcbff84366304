-- Where players are, by the server's own knowledge (OneSync), never by what a client says.

local positions = {}
Radio.positions = positions

-- How often the service is told, in ms.
local EVERY = 500

local players, http = Radio.players, Radio.http

-- The game's worlds are smaller, in metres.
local FAR = 1e6

-- rounded to centimetres, which keeps the message short
local floor = math.floor
local function rounded(v)
    return floor(v * 100 + 0.5) / 100
end

-- of is where a player is: x, y, z, or nothing while it has no body yet.
local function of(id)
    local ped = GetPlayerPed(id)
    if not ped or ped == 0 then
        return nil
    end
    local at = GetEntityCoords(ped)
    if not at then
        return nil
    end
    local x, y, z = at.x, at.y, at.z
    if x > -FAR and x < FAR and y > -FAR and y < FAR and z > -FAR and z < FAR then -- no NaN is
        return x, y, z
    end
end

-- How long positions are good once they have been read, in ms: all who ask for them in
-- one tick share them.
local GOOD = 50

local all, readAt = {}, -GOOD

-- positions.all are those of all players who have a body: { [id] = { id, x, y, z } }. Read
-- only.
function positions.all()
    local now = GetGameTimer()
    if now - readAt >= GOOD then
        all, readAt = {}, now
        for id in players.here() do
            local x, y, z = of(id)
            if x then
                all[id] = { id, x, y, z }
            end
        end
    end
    return all
end

-- positions.run tells the service for ever, one message for all players. While one is on
-- its way no other is made: only the newest positions are of use.
function positions.run()
    while true do
        Wait(EVERY - GetGameTimer() % EVERY)
        if not Radio.mirror.stale then
            local body = {}
            for id, place in pairs(positions.all()) do
                body[#body + 1] = { id, rounded(place[2]), rounded(place[3]), rounded(place[4]) }
            end
            if #body > 0 then
                local status, _, why = http.request('POST', '/api/game/positions', body)
                if status ~= 200 and not http.again(status) then
                    Radio.complain('positions: ' .. why)
                end
            end
        end
    end
end
