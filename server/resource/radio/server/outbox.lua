-- Changes on their way to the service: sent in order, up to 100 in one request, those of
-- one tick together. A request without an answer is sent again with the same ids, which
-- the service does not carry out twice within a minute.

local outbox = {}
Radio.outbox = outbox

-- Requests in one POST; the service takes no more.
local BATCH = 100

-- How long a change may be on its way, in ms. Origin: below the minute for which the
-- service remembers ids, by more than one request may take.
local PATIENCE = 15000

-- Changes that may wait; more than a script in its right mind makes in PATIENCE.
local LONGEST = 5000

local picture, http = Radio.picture, Radio.http

local queue = {} -- { body, op, born, started, ready }
local waiting = {} -- ops that the service has carried out and the picture does not show yet
local held = {} -- player -> the entry that what is for this player waits for
local sending = false
local position = 0 -- of the picture in the service's changes
local name = ('%x-%x'):format(os.time(), GetGameTimer()) -- of this start of the resource
local count = 0

-- Radio.before has what must be done before an action is sent, by its name; it may yield.
Radio.before = {}

local function settled(entry, result)
    local op = entry.op
    if op.change and (result.seq or 0) > position then
        op.seq = result.seq
        waiting[#waiting + 1] = op
    elseif op.change then
        picture.lift(op)
    end
    if op.answered then
        op.answered(true, result)
    end
end

-- undone takes a change back. why is for the operator, error for the player who asked.
local function undone(entry, why, error)
    local op = entry.op
    if op.change then
        picture.lift(op)
    end
    if op.answered then
        op.answered(false, { error = error })
        return
    end
    local about = entry.body.serverId and ' for ' .. entry.body.serverId or ''
    if entry.body.frequency then
        about = about .. ' on ' .. entry.body.frequency
    end
    Radio.complain(('%s%s was %s'):format(entry.body['do'], about, why))
end

local function refused(entry, error)
    undone(entry, 'refused by the service: ' .. error, error)
end

-- lost is a change that has not reached the service, as far as is known. Why in full is for
-- the operator: it may name addresses.
local function lost(entry, why)
    undone(entry, 'not carried out: ' .. why, 'The radio service does not answer')
end

-- prepared says whether an entry can go. One that has something to be done before starts
-- it, and holds back what comes after it for the same player.
local function prepared(entry)
    local player = entry.body.serverId
    if player and held[player] and held[player] ~= entry then
        return false
    end
    local before = Radio.before[entry.body['do']]
    if not before or entry.ready then
        return true
    end
    if not entry.started then
        entry.started = true
        if player then
            held[player] = entry
        end
        CreateThread(function()
            local ok, why = pcall(before, entry.body)
            if not ok then
                Radio.complain(entry.body['do'] .. ': ' .. tostring(why))
            end
            entry.ready, entry.born = true, GetGameTimer() -- its patience begins now
            outbox.send()
        end)
    end
    return false
end

-- take picks the next batch, and drops what has waited too long.
local function take()
    local batch, rest, now = {}, {}, GetGameTimer()
    local old = queue
    queue = {}
    for _, entry in ipairs(old) do
        if now - entry.born > PATIENCE and not (entry.started and not entry.ready) then
            if held[entry.body.serverId] == entry then
                held[entry.body.serverId] = nil
            end
            lost(entry, 'the service cannot be reached')
        elseif #batch < BATCH and prepared(entry) then
            if held[entry.body.serverId] == entry then
                held[entry.body.serverId] = nil
            end
            batch[#batch + 1] = entry
        else
            rest[#rest + 1] = entry
        end
    end
    for _, entry in ipairs(queue) do -- asked for while others were refused
        rest[#rest + 1] = entry
    end
    queue = rest
    return batch
end

-- deliver sends a batch until there is an answer.
local function deliver(batch)
    local bodies, pauses = {}, http.pauses()
    for i, entry in ipairs(batch) do
        bodies[i] = entry.body
    end
    while true do
        local status, answer, why = http.request('POST', '/api/game/do', { requests = bodies })
        if status == 200 and type(answer.results) == 'table' then
            local results = {}
            for _, result in ipairs(answer.results) do
                results[result.id] = result
            end
            for _, entry in ipairs(batch) do
                local result = results[entry.body.id]
                if result and result.ok then
                    settled(entry, result)
                elseif result then
                    refused(entry, result.error or 'no reason given')
                else
                    lost(entry, 'the service gave no answer')
                end
            end
            return
        end
        if not http.again(status) or GetGameTimer() - batch[1].born > PATIENCE then
            for _, entry in ipairs(batch) do
                lost(entry, why or 'the service gave no answer')
            end
            return
        end
        pauses.wait()
    end
end

-- outbox.send starts sending, unless that is under way.
function outbox.send()
    if sending then
        return
    end
    sending = true
    CreateThread(function()
        local batch = take()
        while #batch > 0 do
            local ok, why = pcall(deliver, batch)
            if not ok then
                Radio.complain('sending changes: ' .. tostring(why))
            end
            batch = take()
        end
        sending = false
    end)
end

-- Radio.send takes a request, its id to be added. op may have change, laid over the
-- picture already, and answered(ok, result), which then hears of refusals instead of the
-- console.
function Radio.send(body, op)
    count = count + 1
    body.id = name .. '-' .. count
    local entry = { body = body, op = op or {}, born = GetGameTimer() }
    if #queue >= LONGEST then
        lost(entry, 'too many changes are waiting')
        return
    end
    queue[#queue + 1] = entry
    outbox.send()
end

-- outbox.passed says how far the picture has come: changes that it shows by itself need
-- not be laid over it any more.
function outbox.passed(now)
    position = now
    local left = {}
    for _, op in ipairs(waiting) do
        if op.seq > now then
            left[#left + 1] = op
        else
            picture.lift(op)
        end
    end
    waiting = left
end

-- outbox.restarted says that the service counts anew, and that its snapshot has all that
-- it ever carried out.
function outbox.restarted(now)
    position = now
    for _, op in ipairs(waiting) do
        picture.lift(op)
    end
    waiting = {}
end

function outbox.length()
    return #queue
end
