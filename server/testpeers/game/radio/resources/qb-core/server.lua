local jobs = {} -- player -> job

local function job(name, onduty)
    local leo = name == 'police'
    return { name = name, type = leo and 'leo' or 'none', onduty = onduty ~= false, grade = { level = 1, name = 'Officer' } }
end

local QBCore = { Functions = {} }

function QBCore.Functions.GetPlayer(src)
    if not GetPlayerName(src) then
        return nil
    end
    src = tonumber(src)
    return { PlayerData = { source = src, job = jobs[src] or job('unemployed'), charinfo = { firstname = 'Sam', lastname = 'Number ' .. src } } }
end

exports('GetCoreObject', function() return QBCore end)

-- For the tests: a player takes a job, and is on duty unless onduty is false.
exports('SetJob', function(src, name, onduty)
    jobs[src] = job(name, onduty)
    TriggerEvent('QBCore:Server:OnJobUpdate', src, jobs[src])
end)

AddEventHandler('playerDropped', function() jobs[source] = nil end)
