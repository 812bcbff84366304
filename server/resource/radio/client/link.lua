-- The connection to the service: how it is made, what is sent over it, and what the
-- radio does when it is lost and comes back.

local Radio = Radio
local link = {}
Radio.link = link

-- What the game server may pass on while the page has no connection: an emergency
-- must not wait for it.
local relayed = { panic = true, triggerAlert = true, setCallsign = true }

-- tell sends an event to the service and returns whether it went out. It asks for no
-- answer: a refusal comes as an event.
function link.tell(name, payload)
    local s = Radio.state
    if s.connected then
        Radio.post({ type = 'emit', name = name, payload = payload })
    elseif relayed[name] and s.link then
        s.relays = s.relays + 1
        Radio.port.server('relay', { id = s.relays, name = name, payload = payload })
    else
        return false
    end
    return true
end

-- relayed is the answer to what the game server has passed on: without a connection no
-- event tells of a refusal.
function Radio.nets.relayed(_, data)
    if not data.ok then Radio.view.notice(Radio.word(data.error) or 'The radio service did not answer', 'warn') end
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

-- hello asks the game server for a path to the service: WebRTC first, and the other path
-- each time one has failed. The game server decides.
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

-- moved: the game server has gone to another node of the service, perhaps because this
-- one is no more. The page finds out.
function Radio.nets.moved(s)
    if s.connected then Radio.post({ type = 'probe' }) end
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
    -- No record has come: the service has resumed the session, and has forgotten nothing.
    if s.connected and s.fresh and s.self and s.now - s.helloAt > Radio.limits.known then s.fresh = false end
    if s.ready and not s.connected and s.now - s.helloAt >= Radio.limits.hello then link.hello(s) end
end
