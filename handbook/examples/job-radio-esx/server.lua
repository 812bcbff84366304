-- ESX: whoever loads a character or changes jobs gets the NAC id of the job and is moved
-- to its channel.

local radio = exports.radio

local channels = {
    police = '154.755',
    sheriff = '460.250',
    ambulance = '463.000',
    fire = '154.280',
}

local function jobOf(src)
    local player = exports.es_extended:getSharedObject().GetPlayerFromId(src)
    return player and player.job.name -- nil: has left
end

-- A radio is not connected yet when its player has just joined, and cannot be moved before
-- it is (setUserChannel: false). So it is tried for two minutes, once a second, unless the
-- job changes again or the player leaves.
local function move(src, name)
    CreateThread(function()
        for _ = 1, 120 do
            if jobOf(src) ~= name or radio:setUserChannel(src, channels[name]) then
                return
            end
            Wait(1000)
        end
    end)
end

local function changed(src, job)
    radio:refreshNacId(src)
    if channels[job.name] then
        move(src, job.name)
    end
end

-- Local events of the server: with RegisterNetEvent any client could send them.
AddEventHandler('esx:setJob', function(src, job)
    changed(src, job)
end)

AddEventHandler('esx:playerLoaded', function(src, player)
    changed(src, player.job)
end)
