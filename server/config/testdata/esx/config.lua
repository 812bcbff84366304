Config = {
    serverPort = 7782,
    authToken = 'esx-county-master-token-0815',
    dispatchNacId = 4242,
    adminPassword = 'a password with spaces',
    useCallsignSystem = true,
    volumeStep = 10,
}

ESX = exports.es_extended:getSharedObject()

local nacs = { police = 141, sheriff = '142', ambulance = 300, fire = '301' }

local function jobOf(id)
    local xPlayer = ESX.GetPlayerFromId(id)
    return xPlayer and xPlayer.getJob()
end

Config.zones = {
    { name = 'Law', nacIds = { 141, '142' }, Channels = {
        { name = 'DISPATCH', type = 'conventional', frequency = '154.755', allowedNacs = { 141, '142' }, scanAllowedNacs = { 300, 301 } },
        { name = 'LINCOLN', type = 'conventional', frequency = '154.77', allowedNacs = { 141 } },
        { name = 'MARY', type = 'conventional', frequency = 154.785, allowedNacs = { '141', '142' } },
        { name = 'LAW TG', type = 'trunked', frequency = '851.0125', frequencyRange = { '851.0125', '853.9875' }, coverage = 750.5, allowedNacs = { 141, 142 } },
    } },
    { name = 'Rescue', Channels = {
        { name = 'FIRE 1', type = 'digital', frequency = '453.1', allowedNacs = { 301 }, scanAllowedNacs = { 141 } },
        { name = 'FIRE 2', type = 'digital', frequency = '453.15', allowedNacs = { 301 } },
        { name = 'EMS 1', type = 'digital', frequency = 453.2, allowedNacs = { 300 }, scanAllowedNacs = { 301, 141 } },
        { name = 'RESCUE TG', type = 'trunked', frequency = 861.0, frequencyRange = { 861, 862 }, coverage = 0, allowedNacs = { 300, 301 } },
    } },
    { name = 'Civil', Channels = {
        { name = 'TAXI', type = 'conventional', frequency = '450.1' },
        { name = 'TOW', type = 'conventional', frequency = '450.2' },
        { name = 'WORKS', type = 'conventional', frequency = '450.300' },
        { name = 'MARINE 16', type = 'conventional', frequency = 156.8 },
    } },
}

Config.alerts = {
    { name = 'Code 33', color = '#ff0000', isPersistent = true, tone = 'ALERT_A' },
    { name = 'All Clear', color = '#00ff00', tones = { activate = 'ALERT_B' } },
    { name = 'Chirp', toneOnly = true, tone = 'CHIRP' },
}

function Config.radioAccessCheck(id)
    if id < 1 then return true end
    local job = jobOf(id)
    return job ~= nil and (nacs[job.name] ~= nil or job.name == 'taxi' or IsPlayerAceAllowed(id, 'radio.connect'))
end

function Config.getUserNacId(id)
    local job = jobOf(id)
    return job and nacs[job.name] or nil
end

-- answered by the service: it needs nothing but the player's name in the game
function Config.getPlayerName(id)
    if id < 1 then return 'DISPATCH' end
    return GetPlayerName(id)
end
