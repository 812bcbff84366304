-- Requests to the service. Everything here yields: call it from a thread.
--
-- The game gives up a request that has not sent a byte of its body after 5 seconds, and
-- hands over what came only when it is complete. The service knows: it sends a space
-- before it waits.

local http = {}
Radio.http = http

-- A request that was never answered at all, in ms. Origin: the longest wait of the
-- service is 25 s, and the game's own limits end everything else before.
local LOST = 40000

-- Pauses after failures, in ms: FIRST for the first FEW, so that a service that restarts
-- is found again within a second, then longer and longer up to LAST.
local FIRST, FEW, LAST = 1000, 10, 10000

-- The longest wait before another node is asked, in ms: the game servers of a node that is
-- gone do not fall upon the next one all at once.
local SPREAD = 500

-- The most nodes that are learned.
local MOST = 64

-- How often another address was taken.
http.moves = 0

local learned = {} -- addresses that the service has named

-- addresses are all that are known, those of radio_url first.
local function addresses()
    local all, has = {}, {}
    for _, list in ipairs({ Radio.convars.urls or {}, learned }) do
        for _, address in ipairs(list) do
            if not has[address] then
                has[address] = true
                all[#all + 1] = address
            end
        end
    end
    return all
end

-- learn notes the other nodes that the service names. The token is not sent to one without
-- TLS if radio_url has it.
local function learn(headers)
    for name, value in pairs(type(headers) == 'table' and headers or {}) do
        if type(name) == 'string' and name:lower() == 'squelch-nodes' and type(value) == 'string' then
            learned = {}
            local plain = (Radio.convars.urls[1] or ''):find('^http://')
            for address in value:gmatch('%S+') do
                if #learned < MOST and (address:find('^https://[^%s"?#]+$') or plain and address:find('^http://[^%s"?#]+$')) then
                    learned[#learned + 1] = (address:gsub('/+$', ''))
                end
            end
        end
    end
end

-- move takes the next address, unless another request has done so. false: there is none.
local function move(from)
    local all = addresses()
    if #all < 2 then
        return false
    end
    if Radio.convars.url == from then
        local at = 0
        for i, address in ipairs(all) do
            if address == from then
                at = i
            end
        end
        Radio.convars.url = all[at % #all + 1]
        http.moves = http.moves + 1
    end
    return true
end

-- read makes JSON a table. The body of a refusal comes behind its status in the text of
-- the error.
local function read(text)
    if type(text) ~= 'string' then
        return nil
    end
    local ok, value = pcall(json.decode, text:match('^HTTP %d+:%s*(.*)$') or text)
    return ok and type(value) == 'table' and value or nil
end

-- once makes a request at the present address.
local function once(method, path, body)
    local answer = promise.new()
    local open = true
    local function done(status, text, headers, failure)
        if open then
            open = false
            learn(headers)
            answer:resolve({ status = tonumber(status) or 0, text = text, failure = failure })
        end
    end
    local headers = { Authorization = 'Bearer ' .. Radio.convars.token, Accept = 'application/json' }
    if body then
        headers['Content-Type'] = 'application/json'
    end
    PerformHttpRequest(Radio.convars.url .. path, done, method, body and json.encode(body) or '', headers, { followLocation = false })
    local timer = SetTimeout(LOST, function()
        done(0, nil, nil, 'no answer within ' .. LOST // 1000 .. ' s')
    end)
    local a = Citizen.Await(answer)
    if timer and ClearTimeout then
        ClearTimeout(timer)
    end
    local value = read(a.text) or read(a.failure)
    if a.status == 200 and value then
        return 200, value
    elseif a.status == 200 then
        return 0, nil, 'its answer is not JSON; is radio_url the address of the radio service?'
    end
    return a.status, value, http.reason(a.status, value and value.error or a.failure)
end

-- http.request gives the status (0: no answer), the body as a table, and for anything
-- but 200 the reason. A node that does not answer, or serves nobody just now (503), is left
-- for the next one.
function http.request(method, path, body)
    local tries = 0
    while true do
        local from = Radio.convars.url
        local status, value, why = once(method, path, body)
        tries = tries + 1
        if status ~= 0 and status ~= 503 or tries >= #addresses() or not move(from) then
            return status, value, why
        end
        Wait(math.random(0, SPREAD))
    end
end

-- http.reason is a failure in the operator's words.
function http.reason(status, text)
    text = type(text) == 'string' and text ~= '' and text:sub(1, 200) or nil
    if status == 0 then
        return ('no answer from %s%s'):format(Radio.convars.url, text and ': ' .. text or '')
    elseif status == 401 then
        return 'it does not accept radio_token'
    elseif status == 403 then
        return text or 'the key in radio_token lacks the scope game'
    elseif status >= 300 and status < 400 then
        return 'it redirects (status ' .. status .. '); put the final address into radio_url'
    end
    return ('status %d%s'):format(status, text and ': ' .. text or '')
end

-- http.again says whether a request may succeed later as it is.
function http.again(status)
    return status == 0 or status == 401 or status == 403 or status == 429 or status >= 500
end

-- http.pauses gives the pauses between attempts: wait() after a failure, reset() after a
-- success.
function http.pauses()
    local failures = 0
    return {
        reset = function()
            failures = 0
        end,
        wait = function()
            failures = failures + 1
            local pause = FIRST
            if failures > FEW then
                pause = math.min(LAST, FIRST * 1.5 ^ (failures - FEW))
            end
            Wait(math.floor(pause))
        end,
    }
end
