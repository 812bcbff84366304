-- The mirror: it asks for changes by long polling, without end, and keeps the picture live.

local mirror = { stale = true, polls = 0, changes = 0 }
Radio.mirror = mirror

-- wait: how long the service holds a request, in s. gather: how long it collects once
-- something has changed, in ms; 50 make about 12 answers a second on a busy radio, and
-- the mirror is 56 ms behind on average.
local WAIT, GATHER = 25, 50

local picture, http, outbox = Radio.picture, Radio.http, Radio.outbox

local epoch, position -- of the service's changes
local moves = 0 -- of the addresses, when the picture was taken anew

local function encoded(text)
    return (tostring(text):gsub('[^%w%-%._~]', function(c)
        return ('%%%02X'):format(c:byte())
    end))
end

local function question()
    local path = ('/api/game/changes?wait=%d&gather=%d'):format(WAIT, GATHER)
    if epoch then
        path = path .. ('&epoch=%s&since=%d'):format(encoded(epoch), position)
    end
    return path
end

-- take brings the picture up to an answer.
local function take(answer)
    local new = answer.epoch ~= epoch
    if answer.reset then
        picture.reset(answer.state)
    else
        for _, change in ipairs(answer.changes or {}) do
            picture.apply(change)
            mirror.changes = mirror.changes + 1
        end
    end
    epoch, position = answer.epoch, math.floor(answer.next)
    if new then
        outbox.restarted(position)
        Radio.players.replace()
        if moves ~= http.moves then
            -- It is another node. Voice goes to the one before, which may be gone: nothing
            -- tells a page so for seconds.
            moves = http.moves
            TriggerClientEvent('radio:moved', -1)
        end
    else
        outbox.passed(position)
    end
end

local function sound(answer)
    return type(answer.next) == 'number' and answer.epoch ~= nil
        and (answer.reset and type(answer.state) == 'table' or not answer.reset and answer.epoch == epoch)
end

-- fresh and lost print what the operator must know, once for each change.
local function fresh()
    if mirror.stale then
        mirror.stale, mirror.reason = false, nil
        Radio.log('connected to the radio service at ' .. Radio.convars.url)
    end
end

local function lost(why)
    if mirror.reason ~= why then
        mirror.reason = why
        Radio.log('no connection to the radio service: ' .. why .. (picture.ready() and '. Exports answer with what was known last.' or ''))
    end
    mirror.stale = true
end

-- mirror.run asks for ever.
function mirror.run()
    local pauses = http.pauses()
    while true do
        local status, answer, why = http.request('GET', question())
        mirror.polls = mirror.polls + 1
        if status == 200 and not sound(answer) then
            status, why = 0, 'its answer is not that of a radio service'
            epoch = nil
        end
        if status == 200 then
            local ok, mistake = pcall(take, answer)
            if ok then
                fresh()
                pauses.reset()
            else
                -- What was half applied is put right by a snapshot.
                epoch, status = nil, 0
                lost('its answer could not be used: ' .. tostring(mistake))
            end
        else
            lost(why)
        end
        if status ~= 200 then
            pauses.wait()
        end
    end
end

-- mirror.position is how far the picture has come, for the operator.
function mirror.position()
    return epoch, position
end
