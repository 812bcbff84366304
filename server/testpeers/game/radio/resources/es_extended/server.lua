local jobs = {}
local ESX = {}

function ESX.GetPlayerFromId(src)
    if not GetPlayerName(src) then
        return nil
    end
    local job = jobs[tonumber(src)] or { name = 'unemployed', grade = 0 }
    return { source = tonumber(src), job = job, getJob = function() return job end }
end

exports('getSharedObject', function() return ESX end)

exports('SetJob', function(src, name)
    local last = jobs[src]
    jobs[src] = { name = name, grade = 1 }
    TriggerEvent('esx:setJob', src, jobs[src], last)
end)
