-- The table test of the server exports: every export with success, each way to fail,
-- wrong types, both forms of a frequency, and nil in the middle. world.lua is the radio
-- before each case. A case:
--
--   { 'export', { n = number of arguments, … }, want }     want is the answer, nil the failure nil
--   act = { do = …, … }    what is asked of the service; false: nothing
--   after = { { 'export', { n = …, … }, want }, … }         what is answered right afterwards
--
-- run_cases.lua runs them; the same file is used in Lua 5.1 and 5.4.

local cases = {}

local function args(...)
    return { n = select('#', ...), ... }
end

local function case(export, given, want, more)
    local c = { export, given, want }
    for k, v in pairs(more or {}) do
        c[k] = v
    end
    cases[#cases + 1] = c
end

local fn = function() end

-- wrongFirst tries an export with each wrong value in place of its first argument, and
-- without arguments.
local function wrongFirst(values)
    return function(export, want, ...)
        for _, wrong in ipairs(values) do
            local given = args(...)
            given[1] = wrong.v
            case(export, given, want, { act = false })
        end
        case(export, args(), want, { act = false })
    end
end

-- What is no frequency, and a channel that does not exist.
local noFrequency = wrongFirst({ { v = 'dispatch' }, { v = '' }, { v = '1e2' }, { v = '0x9A' }, { v = ' 154.755' }, { v = '154.' }, { v = 0 },
    { v = -154.755 }, { v = 1000000 }, { v = 1 / 0 }, { v = true }, { v = {} }, { v = fn }, { v = nil }, { v = '999.5' } })

-- What is no server id, and a user who does not exist.
local noUser = wrongFirst({ { v = 'Alice' }, { v = '' }, { v = 0 }, { v = 12.5 }, { v = '12.0' }, { v = 2 ^ 40 }, { v = 0 / 0 },
    { v = true }, { v = {} }, { v = fn }, { v = nil }, { v = 99 }, { v = -99 } })

-- Lists of a channel
for _, frequency in ipairs({ '154.755', '154.7550', 154.755, 154.75500000001 }) do
    case('getSpeakersInChannel', args(frequency), { -2, 12 })
    case('getActiveTalkersInChannel', args(frequency), { 12 })
    case('getAllUsersInChannel', args(frequency), { -2, 12 })
end
for _, frequency in ipairs({ '460.250', '460.25', 460.25 }) do
    case('getListenersInChannel', args(frequency), { 12 })
    case('getAllUsersInChannel', args(frequency), { 12 })
    case('getSpeakersInChannel', args(frequency), {})
end
case('getSpeakersInChannel', args('856.1125'), { 13 }) -- a talkgroup: all its units
case('getSpeakersInChannel', args('856.125'), { 13 }) -- its working frequency
case('getSpeakersInChannel', args('856.1375'), nil) -- one that nobody works on
case('getSpeakersInChannel', args('463.000'), {})
case('getSpeakersInChannel', args(463), {})
for _, export in ipairs({ 'getSpeakersInChannel', 'getListenersInChannel', 'getAllUsersInChannel', 'getActiveTalkersInChannel',
    'getChannelInfo', 'getChannelAlert', 'getChannelPanic' }) do
    noFrequency(export, nil, '154.755')
end
case('getSpeakersInChannel', args('154.755', 'more', nil), { -2, 12 }) -- arguments beyond the last are nobody's

case('getActiveChannels', args(), { '154.755', '460.25', '856.1125', '856.125' })
case('getChannelInfo', args('460.250'), { frequency = '460.25', speakers = {}, listeners = { 12 }, activeTalkers = {} })
case('getChannelInfo', args(154.755), { frequency = '154.755', speakers = { -2, 12 }, listeners = {}, activeTalkers = { 12 } })

-- pick: of the answer, only these fields; many channels have many.
case('getAllChannels', args(), {
    { zone = 'Los Santos', name = 'LSPD DISP', type = 'conventional', frequency = '154.755', listeners = 0 },
    { zone = 'Los Santos', name = 'LSPD TRUNK', type = 'trunked', frequency = '856.1125', listeners = 0 },
    { zone = 'Blaine County', name = 'BCSO DISP', type = 'digital', frequency = '460.25', listeners = 1 },
    { zone = 'Blaine County', name = 'EMS DISP', type = 'digital', frequency = '463', listeners = 0 },
}, { pick = { 'zone', 'name', 'type', 'frequency', 'listeners' } })

-- Alerts
local signal100 = { name = 'SIGNAL 100', color = '#d01c1c', isPersistent = true, tones = { activate = 'ALERT_A' } }
local signal3 = { name = 'SIGNAL 3', color = '#d97706', isPersistent = true, tones = { activate = 'ALERT_B' } }
case('getChannelAlert', args('460.250'), signal100)
case('getChannelAlert', args(460.25), signal100)
case('getChannelAlert', args('154.755'), nil)

-- alert: standing is the alert that stands at the frequency at afterwards.
local function alert(given, want, standing, at)
    local more = { act = false }
    if want then
        more.act = { ['do'] = 'setAlertOnChannel', frequency = at, enabled = given[2], alert = given[3] }
        more.after = { { 'getChannelAlert', args(at), standing } }
    end
    case('setAlertOnChannel', given, want, more)
end
alert(args('154.7550', true), true, signal100, '154.755')
alert(args(154.755, true, 1), true, signal100, '154.755')
alert(args(154.755, true, 2), true, signal3, '154.755')
alert(args(154.755, true, 'signal 3'), true, signal3, '154.755')
alert(args(154.755, true, 'Ping'), true, nil, '154.755') -- plays once and stays nowhere
alert(args(154.755, nil), true, signal100, '154.755')
alert(args(154.755), true, signal100, '154.755')
alert(args(154.755, nil, 'SIGNAL 3'), true, signal3, '154.755') -- nil in the middle
alert(args(154.755, false), true, nil, '154.755') -- there was none
alert(args('460.250', false), true, nil, '460.25')
alert(args('460.250', nil), true, nil, '460.25')
alert(args('460.250', nil, 'SIGNAL 3'), true, nil, '460.25')
alert(args('460.250', nil, 'Ping'), true, signal100, '460.25')
alert(args('460.250', true, 'SIGNAL 3'), true, signal3, '460.25')
for _, wrong in ipairs({ 0, 4, -1, 1.5, 'SIGNAL 10', '', true, {}, fn }) do
    alert(args('154.755', true, wrong), false)
end
for _, wrong in ipairs({ 1, 'true', {}, fn }) do
    alert(args('154.755', wrong), false)
    case('setChannelSignal', args('154.755', wrong), false, { act = false })
end
noFrequency('setAlertOnChannel', false, '154.755', true)
noFrequency('setChannelSignal', false, '154.755', true)
case('setChannelSignal', args('154.755', true), true,
    { act = { ['do'] = 'setAlertOnChannel', frequency = '154.755', enabled = true }, after = { { 'getChannelAlert', args(154.755), signal100 } } })
case('setChannelSignal', args(460.25, false), true,
    { act = { ['do'] = 'setAlertOnChannel', frequency = '460.25', enabled = false }, after = { { 'getChannelAlert', args(460.25), nil } } })

-- Panic
case('getChannelPanic', args('856.1125'), { [13] = true })
case('getChannelPanic', args(856.1125), { [13] = true })
case('getChannelPanic', args('154.755'), {})
case('getUserPanicState', args(13, '856.1125'), true)
case('getUserPanicState', args('13', 856.1125), true)
case('getUserPanicState', args(12, '856.1125'), false)
case('getUserPanicState', args(13, '154.755'), false)
case('getUserPanicState', args(13), false)
case('getUserPanicState', args(nil, '856.1125'), false)
noUser('getUserPanicState', false, 13, '856.1125')
case('setChannelPanic', args('154.755', 12, true), true,
    { act = { ['do'] = 'setChannelPanic', frequency = '154.755', serverId = 12, enabled = true },
        after = { { 'getChannelPanic', args('154.755'), { [12] = true } }, { 'getUserPanicState', args(12, 154.755), true } } })
case('setChannelPanic', args(856.1125, '13', false), true,
    { act = { ['do'] = 'setChannelPanic', frequency = '856.1125', serverId = 13, enabled = false }, after = { { 'getChannelPanic', args('856.1125'), {} } } })
case('setChannelPanic', args('154.755', 12), false, { act = false })
case('setChannelPanic', args('154.755', nil, true), false, { act = false })
case('setChannelPanic', args('154.755', 99, true), false, { act = false })
case('setChannelPanic', args('154.755', 12, 'on'), false, { act = false })
noFrequency('setChannelPanic', false, '154.755', 12, true)

-- Moving
local function moved(id, key)
    return { ['do'] = 'setUserChannel', serverId = id, frequency = key }
end
case('setUserChannel', args(12, '460.250'), true, { act = moved(12, '460.25'),
    after = { { 'getSpeakersInChannel', args(460.25), { 12 } }, { 'getSpeakersInChannel', args('154.755'), { -2 } } } })
case('setUserChannel', args('12', 463), true, { act = moved(12, '463'), after = { { 'getSpeakersInChannel', args('463.000'), { 12 } } } })
case('setUserChannel', args(12, '856.1125'), true, { act = moved(12, '856.1125'),
    after = { { 'getSpeakersInChannel', args('856.1125'), { 12, 13 } } } })
case('setUserChannel', args(-2, '463'), true, { act = moved(-2, '463') })
case('setUserChannel', args(14, '154.755'), false, { act = false }) -- no radio access
case('setUserChannel', args(12, '999.5'), false, { act = false })
case('setUserChannel', args(12), false, { act = false })
case('setUserChannel', args(nil, '154.755'), false, { act = false })
noUser('setUserChannel', false, 12, '460.25')

case('disconnectUser', args(12), true, { act = { ['do'] = 'disconnectUser', serverId = 12 },
    after = { { 'getSpeakersInChannel', args('154.755'), { -2 } }, { 'getListenersInChannel', args('460.25'), {} } } })
case('disconnectUser', args(14), false, { act = false }) -- is not on the radio
noUser('disconnectUser', false, 12)

case('isUserTalking', args(12, '154.755'), true)
case('isUserTalking', args('12', 154.755), true)
case('isUserTalking', args(12, '460.25'), false)
case('isUserTalking', args(13, '856.1125'), false)
case('isUserTalking', args(12), false)
noUser('isUserTalking', false, 12, '154.755')

-- Users
case('getPlayerName', args(12), 'Alice')
case('getPlayerName', args('12'), 'Alice')
case('getPlayerName', args(12.0), 'Alice')
case('getPlayerName', args(-2), 'Dispatch')
noUser('getPlayerName', nil, 12)
for _, export in ipairs({ 'getPlayerNacId', 'getUserNacId' }) do
    case(export, args(12), 'LSPD')
    case(export, args('13'), 'LSPD')
    case(export, args(14), nil)
    noUser(export, nil, 12)
end
case('getUserInfo', args(12), { name = 'Alice', nacId = 'LSPD' })
case('getUserInfo', args(14), { name = 'Carol' })
noUser('getUserInfo', nil, 12)
case('hasRadioAccess', args(12), true)
case('hasRadioAccess', args('14'), false)
noUser('hasRadioAccess', false, 12)
case('getAcePermissions', args(12), { connect = { '154.755' }, scan = false, gps = false, zones = { 1 }, dispatch = false })
noUser('getAcePermissions', nil, 12)
case('getSubscriberInfo', args(12), {
    codeplugId = 'patrol', unitId = '4012', nac = 293, radioModel = 'handheld-a',
    features = { scan = true, gps = true, panic = true, dispatch = false },
    tones = { keyUp = '', keyDown = '', busy = '' }, emergency = { hotMicMs = 0 }, announcementVolume = 0.5,
})
case('getSubscriberInfo', args(13), nil)
noUser('getSubscriberInfo', nil, 12)
case('getSubscriberZones', args(12), { { name = 'Los Santos' }, { name = 'Blaine County' } }, { pick = { 'name' } })
case('getSubscriberZones', args(13), nil)
noUser('getSubscriberZones', nil, 12)
case('getCallsign', args(12), '1A-12')
case('getCallsign', args('13'), nil)
noUser('getCallsign', nil, 12)

case('setUserNacId', args(12, 'EMS'), true, { act = { ['do'] = 'setUserNacId', serverId = 12, nacId = 'EMS' },
    after = { { 'getPlayerNacId', args(12), 'EMS' }, { 'getUserInfo', args(12), { name = 'Alice', nacId = 'EMS' } } } })
case('setUserNacId', args('14', 293), true, { act = { ['do'] = 'setUserNacId', serverId = 14, nacId = '293' }, after = { { 'getUserNacId', args(14), '293' } } })
for _, wrong in ipairs({ '', '  ', true, {}, fn }) do
    case('setUserNacId', args(12, wrong), false, { act = false })
end
case('setUserNacId', args(12), false, { act = false })
noUser('setUserNacId', false, 12, 'EMS')

for _, export in ipairs({ 'refreshNacId', 'refreshSubscriber' }) do
    case(export, args(12), true, { act = { ['do'] = export, serverId = 12 } })
    case(export, args('13'), true, { act = { ['do'] = export, serverId = 13 } })
    case(export, args(-2), false, { act = false }) -- a dispatcher has none
    noUser(export, false, 12)
end
case('refreshPlayerInfo', args(), 3, { act = { ['do'] = 'refreshPlayerInfo' } })

case('setCallsign', args(12, '2B-7'), true, { act = { ['do'] = 'setCallsign', serverId = 12, callsign = '2B-7' }, after = { { 'getCallsign', args(12), '2B-7' } } })
case('setCallsign', args('12', 7), true, { act = { ['do'] = 'setCallsign', serverId = 12, callsign = '7' }, after = { { 'getCallsign', args(12), '7' } } })
for _, cleared in ipairs({ args(12), args(12, nil), args(12, '') }) do
    case('setCallsign', cleared, true, { act = { ['do'] = 'setCallsign', serverId = 12 }, after = { { 'getCallsign', args(12), nil } } })
end
for _, wrong in ipairs({ true, {}, fn }) do
    case('setCallsign', args(12, wrong), false, { act = false })
end
noUser('setCallsign', false, 12, '2B-7')

-- Tones: they answer nothing.
case('playToneOnChannel', args('460.250', 'BEEP'), nil, { act = { ['do'] = 'playToneOnChannel', frequency = '460.25', tone = 'BEEP' } })
case('playToneOnChannel', args(154.755, 'BEEP'), nil, { act = { ['do'] = 'playToneOnChannel', frequency = '154.755', tone = 'BEEP' } })
case('playToneOnChannel', args('154.755'), nil, { act = false })
case('playToneOnChannel', args(nil, 'BEEP'), nil, { act = false })
noFrequency('playToneOnChannel', nil, '154.755', 'BEEP')
case('playToneOnSource', args('12', 'BEEP'), nil, { act = { ['do'] = 'playToneOnSource', serverId = 12, tone = 'BEEP' } })
case('playToneOnSource', args(12), nil, { act = false })
case('playToneOnSource', args(12, {}), nil, { act = false })
noUser('playToneOnSource', nil, 12, 'BEEP')

return cases
