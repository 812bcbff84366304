-- The connection to the service: how it is made, questions and answers, and what
-- the radio does when it is lost and comes back.

local Radio = Radio
local link = {}
Radio.link = link

-- What the game server may pass on while the page has no connection: an emergency
-- must not wait for it.
local relayed = { panic = true, triggerAlert = true, setCallsign = true }

-- send asks the service for something. done gets the answer, a table with success
-- and error. It returns whether the question went out.
function link.send(name, payload, done)
    local s = Radio.state
    if not s.connected and not (relayed[name] and s.link) then return false end
    local id = s.nextAsk
    s.nextAsk = id + 1
    s.asked[id] = { at = s.now, done = done }
    if s.connected then
        Radio.post({ type = 'emit', name = name, payload = payload, id = id })
    else
        Radio.port.server('relay', { id = id, name = name, payload = payload })
    end
    return true
end

-- tell is a send whose answer does not matter: a refusal comes as an event.
function link.tell(name, payload)
    return link.send(name, payload, nil)
end

local function answered(s, id, reply)
    local asked = s.asked[id]
    if asked == nil then return end
    s.asked[id] = nil
    if asked.done then asked.done(type(reply) == 'table' and reply or { success = reply ~= false }) end
end

function Radio.receivers.ack(s, data)
    answered(s, data.id, data.reply)
end

-- relayed is the answer to what the game server has passed on. Nobody else tells of
-- a refusal.
function Radio.nets.relayed(s, data)
    if data.ok then
        answered(s, data.id, data.reply or { success = true })
        return
    end
    Radio.view.notice(Radio.word(data.error) or 'The radio service did not answer', 'warn')
    answered(s, data.id, { success = false, error = data.error })
end

-- ready: the page listens. It is told everything again, because it may have been
-- reloaded, and its connection with it.
function Radio.receivers.ready(s, data)
    if s.connected then Radio.receivers.connection(s, { connected = false, reason = 'reload' }) end
    s.page = Radio.word(data.version)
    s.browser = data.browser
    if not s.ready then Radio.device.restore(s, Radio.list(data.settings)) end
    s.ready = true
    Radio.device.sound(s)
    Radio.post({ type = 'siren', on = s.siren })
    Radio.view.again()
    if s.link then
        Radio.post(s.link)
    else
        link.hello(s)
    end
end

-- hello asks the game server for a way to the service: WebRTC first, and after a way that
-- has come to nothing the other one. The game server has the last word.
function link.hello(s)
    s.helloAt = s.now
    local path = s.link and s.link.path == 'webrtc' and 'socket' or 'webrtc'
    Radio.port.server('hello', { version = Radio.version or '', nui = { version = s.page or '', path = path } })
end

-- link: where and as whom to connect. Without a page it waits for one.
function Radio.nets.link(s, data)
    s.link = { type = 'link', serverId = data.serverId, path = data.path, url = data.url, token = data.token, version = data.version }
    s.helloAt = s.now
    if s.connected then return end -- for the next time
    s.connecting = true
    Radio.view.dirty = true
    if s.ready then Radio.post(s.link) end
end

function Radio.receivers.offer(s, data)
    Radio.port.server('offer', { id = data.id, sdp = data.sdp })
end

function Radio.nets.answer(s, data)
    Radio.post({ type = 'answer', id = data.id, sdp = data.sdp, error = data.error })
end

function Radio.receivers.connection(s, data)
    local was = s.connected
    s.connected = data.connected == true
    s.connecting = not s.connected and data.connecting ~= false and s.link ~= nil
    s.diagnostics = data
    Radio.view.dirty = true
    if was == s.connected then return end
    s.helloAt = s.now
    if s.connected then
        s.fresh = not (data.recovered and s.self) -- nothing was forgotten
        return
    end
    Radio.talk.lost(s)
    Radio.channels.lost(s)
    local asked = s.asked
    s.asked = {}
    for _, a in pairs(asked) do
        if a.done then a.done({ success = false, error = 'The connection was lost' }) end
    end
end

function Radio.events.identity(s, data)
    if s.link and type(data) == 'table' then s.link.serverId = data.serverId end
end

-- self is what the service knows of this user: the truth. The first one of a
-- connection tells what the service has forgotten meanwhile.
function Radio.events.self(s, me)
    if type(me) ~= 'table' then return end
    local before = s.self
    s.self = me
    Radio.view.dirty = true
    if s.fresh then
        s.fresh = false
        Radio.channels.rejoin(s, me)
        Radio.device.reportAll(s)
    else
        Radio.channels.follow(s, me)
    end
    if Radio.word(me.callsign) ~= s.callsign and (me.callsign or before) then
        s.callsign = Radio.word(me.callsign)
        Radio.device.save()
    end
    Radio.talk.emergencies(s, me)
    Radio.device.subscriber(s, me.subscriber)
end

-- The game server asks for the saved callsign, because it has started again.
function Radio.nets.resyncCallsign(s)
    Radio.port.server('sendCallsign', { callsign = s.callsign or '' })
end

function link.tick(s)
    for id, a in pairs(s.asked) do
        if s.now - a.at > Radio.limits.answer then
            answered(s, id, { success = false, error = 'The radio service did not answer' })
            break -- the table has changed; the rest is for the next tick
        end
    end
    -- No record has come: the service has resumed the session, and has forgotten nothing.
    if s.connected and s.fresh and s.self and s.now - s.helloAt > Radio.limits.known then s.fresh = false end
    if s.ready and not s.connected and s.now - s.helloAt >= Radio.limits.hello then link.hello(s) end
end
