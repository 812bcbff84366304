-- ACE permissions. The game can only be asked "may this player do that", so every
-- configured channel, zone and NAC id is asked for.

local permissions = {}
Radio.permissions = permissions

-- Questions in one tick. Origin: about 3 µs each, so 1.5 ms of a tick of 50 ms.
local A_TICK = 500

local objects -- what is asked for under the present configuration
local left = A_TICK

local function allowed(id, object)
    if left <= 0 then
        Wait(0)
        left = A_TICK
    end
    left = left - 1
    local answer = IsPlayerAceAllowed(id, object)
    return answer == true or answer == 1 -- natives of type BOOL have given both
end

-- permissions.configure lists the objects. The dot of a frequency is a level of ACE
-- names too: 460.250 and 460.25 are two objects, so both spellings are asked for.
function permissions.configure(config)
    local prefix = config.resourceName or GetCurrentResourceName()
    local channels, zones, nacs = {}, {}, {}
    local byKey, seen = {}, {} -- channels and NAC ids that are listed already
    local function nac(list)
        for _, n in ipairs(list or {}) do
            if not seen[n:lower()] then
                seen[n:lower()] = true
                nacs[#nacs + 1] = { value = n, prefix .. '.nac.' .. n }
            end
        end
    end
    for i, zone in ipairs(config.zones or {}) do
        zones[i] = { value = i, prefix .. '.zone.' .. i }
        nac(zone.nacIds)
        for _, channel in ipairs(zone.channels or {}) do
            nac(channel.allowedNacs)
            nac(channel.scanAllowedNacs)
            nac(channel.gps and channel.gps.visibleToNacs)
            local key = channel.frequency
            local spellings = byKey[key]
            if not spellings then
                spellings = { value = key, key }
                byKey[key] = spellings
                channels[#channels + 1] = spellings
            end
            if channel.display and channel.display ~= key then
                spellings[#spellings + 1] = channel.display
            end
        end
    end
    objects = { prefix = prefix, zone = zones, nac = nacs }
    for _, kind in ipairs({ 'connect', 'scan', 'gps' }) do
        local list = {}
        for i, spellings in ipairs(channels) do
            list[i] = { value = spellings.value }
            for j, spelling in ipairs(spellings) do
                list[i][j] = prefix .. '.' .. kind .. '.' .. spelling
            end
        end
        objects[kind] = list
    end
end

-- grant is a list of what is allowed, or just true or false if every object has the same
-- answer as the one above them all.
local function grant(id, kind)
    local above = allowed(id, objects.prefix .. '.' .. kind)
    local list, same = {}, true
    for _, object in ipairs(objects[kind]) do
        local yes = false
        for _, spelling in ipairs(object) do
            yes = yes or allowed(id, spelling)
        end
        if yes then
            list[#list + 1] = object.value
        end
        same = same and yes == above
    end
    if same then
        return above
    end
    return list
end

-- nacOf is the first NAC id in the order of the configuration that an entry grants. It is
-- an identity, so somebody to whom all of them are allowed, as admins are, has none.
local function nacOf(id)
    if allowed(id, objects.prefix .. '.nac') then
        return nil
    end
    for _, object in ipairs(objects.nac) do
        if allowed(id, object[1]) then
            return object.value
        end
    end
    return nil
end

-- permissions.of asks for everything about a player. It yields now and then; one thread
-- at a time may call it.
function permissions.of(id)
    local asked = objects
    local aces = {
        connect = grant(id, 'connect'), scan = grant(id, 'scan'), gps = grant(id, 'gps'), zones = grant(id, 'zone'),
        dispatch = allowed(id, objects.prefix .. '.dispatch'), nac = nacOf(id),
    }
    if asked ~= objects then -- configured anew in between
        return permissions.of(id)
    end
    return aces
end

-- permissions.text is a result as text, to see whether it has changed.
function permissions.text(aces)
    local parts = {}
    for _, kind in ipairs({ 'connect', 'scan', 'gps', 'zones' }) do
        local g = aces[kind]
        parts[#parts + 1] = type(g) == 'table' and table.concat(g, ',') or tostring(g)
    end
    parts[#parts + 1] = tostring(aces.dispatch)
    parts[#parts + 1] = tostring(aces.nac)
    return table.concat(parts, ';')
end
