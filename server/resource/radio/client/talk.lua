-- Push-to-talk and the panic button. The floor is the service's: Lua says what is
-- held, the host asks for the floor and opens the microphone, and tells how it went.

local Radio = Radio
local talk = {}
Radio.talk = talk

-- hold says that a source (key, ui or script) holds the key, or no longer.
function talk.hold(source, down)
    local s = Radio.state
    if down and not s.held[source] then
        local why = talk.refusal(s)
        if why then
            talk.denied(s, why)
            return
        end
    end
    s.held[source] = down or nil
    talk.settle()
end

-- refusal is why nothing can be said now, before anybody is asked; nil: it can. The
-- text is for the display, '' is none.
function talk.refusal(s)
    if not s.power or s.isDead then return '' end
    if not s.connected then return 'No connection' end
    if s.self == nil or s.self.channel == nil then return 'No channel is selected' end
    if Radio.call('talkCheck') == false then return '' end
    return nil
end

-- denied is a key-up that came to nothing.
function talk.denied(s, why)
    if why ~= '' then Radio.view.notice(why, 'warn') end
    if not s.power then return end
    local config = s.config
    local bonk = config and config.bonking or {}
    if bonk.playBonkTone == false or s.now - s.bonkAt < (tonumber(bonk.bonkInterval) or 750) then return end
    s.bonkAt = s.now
    Radio.device.play(s, talk.tone(s, 'busy') or RadioConfig.tones and RadioConfig.tones.denied)
end

-- tone is one of the subscriber record's.
function talk.tone(s, kind)
    local record = s.self and s.self.subscriber
    return record and type(record.tones) == 'table' and Radio.word(record.tones[kind]) or nil
end

-- wish is who should have the microphone now: the emergency first.
local function wish(s)
    if not s.power or not s.connected then return nil end
    if s.hotMic then return { source = 'panic', frequency = s.hotMic.frequency } end
    local at = s.self and s.self.channel
    if at == nil then return nil end
    if s.held.key or s.held.ui then return { source = 'key', frequency = at } end
    if s.held.script then return { source = 'script', frequency = at } end
    return nil
end

-- settle makes the host's key what it should be. A channel that changes under a held
-- key ends the talk: nobody is to go on talking to others unawares.
function talk.settle()
    local s = Radio.state
    local want, is = wish(s), s.keyed
    if is and (want == nil or want.source ~= is.source or want.frequency ~= is.frequency) then
        if want and want.source == is.source and is.source ~= 'panic' then
            s.held = {}
            want = nil
        end
        s.keyed = nil
        Radio.post({ type = 'ptt', down = false, frequency = is.frequency, source = is.source })
        is = nil
    end
    if want and not is then
        s.keyed = want
        s.talkCheckAt = s.now
        Radio.post({ type = 'ptt', down = true, frequency = want.frequency, source = want.source })
    end
end

-- release lets go of every key. An emergency's microphone stays open.
function talk.release()
    Radio.state.held = {}
    talk.settle()
end

-- releaseAll closes the microphone whatever opened it: death, power off, the end.
function talk.releaseAll()
    local s = Radio.state
    s.hotMic = nil
    talk.release()
    talk.become(s, 'idle')
end

-- dead players do not talk.
function talk.dead(yes)
    local s = Radio.state
    yes = yes and yes ~= 0 or false -- the game says 1
    if yes and not s.isDead then talk.releaseAll() end
    s.isDead = yes
end

function talk.become(s, state)
    local was = s.transmitting
    if was == state then return end
    s.transmitting = state
    Radio.view.dirty = true
    if state == 'talking' then
        Radio.device.play(s, talk.tone(s, 'keyUp'))
        Radio.hook('talking', true)
    elseif was == 'talking' then
        Radio.device.play(s, talk.tone(s, 'keyDown'))
        Radio.hook('talking', false)
    end
end

-- What the player reads when a key-up came to nothing, or a talk was ended. Other
-- reasons of a refusal are the service's own words; of a release there are none: the
-- player let go, or looked elsewhere.
local words = {
    busy = 'The channel is busy', taken = 'Somebody has broken in', denied = 'Refused', channel = 'No channel is selected',
    device = 'The microphone is not ready', sound = 'The sound has not started', socket = 'No connection',
    timeout = 'You have talked too long', ['no answer'] = 'The radio service did not answer',
}

local states = { idle = true, asking = true, talking = true, denied = true }

-- What the host's key has come to. An idle with a reason was forced: a held key
-- counts only after it has been pressed again.
function Radio.receivers.ptt(s, data)
    if not states[data.state] then return { ok = false } end
    if data.state == 'denied' and s.transmitting ~= 'denied' then
        local holder = data.talker and s.names[data.talker]
        if holder and holder.name then
            talk.denied(s, holder.name .. ' is talking')
        else
            local reason = Radio.word(data.reason) or 'busy'
            talk.denied(s, words[reason] or reason)
        end
    end
    if data.state == 'idle' and Radio.word(data.reason) then
        s.held = {}
        if s.keyed and s.keyed.source == 'panic' then s.hotMic = nil end
        s.keyed = nil
        if words[data.reason] and s.connected then Radio.view.notice(words[data.reason], 'warn') end
    end
    talk.become(s, data.state)
end

function talk.lost(s)
    s.held = {}
    s.hotMic, s.hotUntil = nil, nil
    s.keyed = nil -- the host has let go by itself
    talk.become(s, 'idle')
end

function talk.tick(s)
    if s.keyed and s.keyed.source ~= 'panic' and s.now - s.talkCheckAt >= Radio.limits.talkCheck then
        s.talkCheckAt = s.now
        if Radio.call('talkCheck') == false then s.held = {} end
    end
    talk.settle()
end

-- The emergency.

-- panic presses the button, or resets it. Without a frequency the service knows where
-- it goes: the revert channel, or the own one.
function talk.panic(frequency, enabled)
    local sent = Radio.link.tell('panic', { frequency = frequency, enabled = enabled })
    if not sent then Radio.view.notice('No connection', 'warn') end
    return sent
end

-- emergencyButton: the second press ends what the first began.
function talk.emergencyButton(s)
    talk.panic(nil, not (s.connected and s.self and Radio.list(s.self.panic)[1]))
end

-- ready: the microphone has come while an emergency wants it.
function talk.ready(s)
    if s.hotMic or not s.power or s.isDead or s.self == nil or not s.connected then return end
    s.hotUntil = nil
    talk.emergencies(s, s.self)
end

-- emergencies takes over from the service whether a panic has opened the microphone.
-- The service has granted the floor already: the host only has to send. A microphone
-- that was closed here (releaseAll) stays closed until the next panic.
function talk.emergencies(s, me)
    local hot = type(me.hotMic) == 'table' and Radio.word(me.hotMic.frequency) and me.hotMic or nil
    if hot == nil then
        s.hotMic, s.hotUntil = nil, nil
        return
    end
    if hot['until'] == s.hotUntil then return end
    s.hotUntil = hot['until']
    local record = me.subscriber
    local ms = record and type(record.emergency) == 'table' and Radio.number(record.emergency.hotMicMs, 0, 3600000) or 0
    s.hotMic = { frequency = hot.frequency, till = s.now + ms }
end
