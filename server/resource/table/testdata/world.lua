-- A small radio for the tests of the exports, as the service describes it to the game
-- server: Alice talks on dispatch and scans the sheriff, Bob is on a talkgroup with his
-- panic on, Carol has no access and no radio, a dispatcher sits on dispatch.

local function channel(name, kind, frequency, more)
    local c = {
        id = frequency, name = name, type = kind, frequency = frequency, allowedNacs = { 'LSPD' }, scanAllowedNacs = {},
        gps = { color = '#3b82f6', visibleToNacs = { 'LSPD' } }, canTransmit = true, listeners = 0, users = {},
    }
    for k, v in pairs(more or {}) do
        c[k] = v
    end
    return c
end

local signal100 = { name = 'SIGNAL 100', color = '#d01c1c', isPersistent = true, tones = { activate = 'ALERT_A' } }

return {
    config = {
        resourceName = 'radio', useCallsignSystem = true, callbacks = {}, version = '5.7.0', hash = '1',
        zones = {
            { id = 'zone-1', name = 'Los Santos', nacIds = {}, channels = {
                channel('LSPD DISP', 'conventional', '154.755'),
                channel('LSPD TRUNK', 'trunked', '856.1125', { frequencyRange = { '856.1125', '859.8625' }, coverage = 1500 }),
            } },
            { id = 'zone-2', name = 'Blaine County', nacIds = { 'BCSO' }, channels = {
                channel('BCSO DISP', 'digital', '460.25', { display = '460.250', allowedNacs = { 'BCSO' }, scanAllowedNacs = { 'LSPD' } }),
                channel('EMS DISP', 'digital', '463', { allowedNacs = { 'EMS' } }),
            } },
        },
        alerts = {
            signal100,
            { name = 'SIGNAL 3', color = '#d97706', isPersistent = true, tones = { activate = 'ALERT_B' } },
            { name = 'Ping', color = '#0049d1', isPersistent = false, tones = { activate = 'CHIRP' } },
        },
        tones = { { name = 'ALERT_A', file = 'alert_a.ogg' }, { name = 'BEEP', file = 'beep.ogg' } },
    },
    classes = {
        { connect = { '154.755', '856.1125' }, scan = { '154.755', '460.25', '856.1125' }, zones = { 1, 2 } },
        { connect = {}, scan = {}, zones = {} },
    },
    users = {
        {
            serverId = 12, name = 'Alice', nacId = 'LSPD', callsign = '1A-12', unitId = '4012', access = true, connected = true,
            channel = '154.755', listening = { '460.25' }, talking = { '154.755' }, panic = {}, class = 0,
            aces = { connect = { '154.755' }, scan = false, gps = false, zones = { 1 }, dispatch = false },
            subscriber = {
                codeplugId = 'patrol', unitId = '4012', nac = 293, radioModel = 'handheld-a',
                features = { scan = true, gps = true, panic = true, dispatch = false },
                tones = { keyUp = '', keyDown = '', busy = '' }, emergency = { hotMicMs = 0 }, announcementVolume = 0.5,
            },
            radio = { power = true },
        },
        {
            serverId = 13, name = 'Bob', nacId = 'LSPD', access = true, connected = true, channel = '856.125',
            controlFrequency = '856.1125', listening = {}, talking = {}, panic = { '856.1125' }, class = 0,
            aces = { connect = false, scan = false, gps = false, zones = false, dispatch = false }, radio = { power = true },
        },
        {
            serverId = 14, name = 'Carol', access = false, connected = false, listening = {}, talking = {}, panic = {}, class = 1,
            aces = { connect = false, scan = false, gps = false, zones = false, dispatch = false }, radio = { power = true },
        },
        {
            serverId = -2, name = 'Dispatch', access = true, connected = true, channel = '154.755', listening = {}, talking = {},
            panic = {}, class = 0, aces = { connect = false, scan = false, gps = false, zones = false, dispatch = true }, radio = {},
        },
    },
    alerts = { ['460.25'] = signal100 },
    patches = {},
}
