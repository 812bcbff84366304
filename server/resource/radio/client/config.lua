-- The operator's file: what the radio of every player looks and behaves like.
-- Change what you like; a mistake in here is printed and never stops the radio.
-- The functions must answer at once: no Wait, no Await.

RadioConfig = {}

-- Is the radio on when the player joins? 'last': as the player left it, and off the
-- first time, because switching it on asks for the microphone. true or false: always.
RadioConfig.startsOn = 'last'

-- A player who comes back is on the channel and scan list of the last time.
-- Whether the player still may is for the service to say.
RadioConfig.rememberChannel = true

-- Players hear the radios of others around them, unless they wear earbuds.
RadioConfig.hearNearby = true

-- In a vehicle the car unit is shown, until the player picks a layout.
RadioConfig.carUnit = true

-- Radio models, as in a subscriber record or setRadioLayout, and what they look
-- like: handheld-a (display and keypad), handheld-b (small), car.
RadioConfig.models = {
    ['APX 8000'] = 'handheld-a',
    ['APX 900'] = 'handheld-b',
    ['APX 8500'] = 'car',
}
RadioConfig.defaultLayout = 'handheld-a'
RadioConfig.defaultTheme = 'standard'

-- Tones that the radio plays itself; names of Config.tones. nil: silent.
RadioConfig.tones = {
    power = 'BEEP',  -- when it is switched on
    denied = 'BONK', -- the channel is busy, if the subscriber record names no other
}

-- Default keys. Players change them in the game's settings; a change here reaches
-- those who have not joined before. The push-to-talk key is the convar
-- `setr radio_ptt_key "CAPITAL"`, else this one.
RadioConfig.keys = {
    ptt = 'CAPITAL',
    open = 'F2',
    channelUp = '',   -- '': no key until the player picks one
    channelDown = '',
    zoneUp = '',
    zoneDown = '',
    volumeUp = '',
    volumeDown = '',
    panic = '',
}

-- RedM has no key mapping: control hashes to poll. nil: none.
RadioConfig.redmControls = {
    ptt = 0x8AAA0AD4,  -- left Alt
    open = 0x3C3DD371, -- page down
}

-- What the player does while talking, chosen by setAnimationId('1') and so on. flag
-- 49: loops, upper body only, the player can walk on; 50: holds the last frame.
RadioConfig.animations = {
    { name = 'Shoulder microphone', dict = 'random@arrests', clip = 'generic_radio_enter', flag = 50 },
    { name = 'Shoulder, chatting', dict = 'random@arrests', clip = 'generic_radio_chatter', flag = 49 },
    { name = 'Handheld at the ear', dict = 'cellphone@', clip = 'cellphone_call_listen_base', flag = 49 },
    { name = 'None' },
}
RadioConfig.defaultAnimation = '1'

-- May the player talk now? Asked at every press of the key and twice a second while
-- the player talks. Dead players are stopped in any case.
function RadioConfig.talkCheck()
    return true
end

-- The battery's level in percent after dt seconds, from the level before. As it is
-- the battery lasts for ever; `return level - dt / 144` empties it in four hours. At
-- 0 the radio switches itself off, and stays off until this returns more.
function RadioConfig.batteryTick(level, dt)
    return level
end

-- Is a siren to be heard behind the player's voice? Asked twice a second, and at
-- once after exports.radio:NotifySirenChanged(). state = { vehicle = in one, lights =
-- boolean, sound = boolean, lvc = the last state that Luxart Vehicle Control has
-- sent, or nil }
function RadioConfig.bgSirenCheck(state)
    return state.vehicle == true and state.sound == true
end
