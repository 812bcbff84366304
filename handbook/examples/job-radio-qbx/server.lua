-- Qbox: whoever loads a character, joins or leaves a group, or goes on or off duty, gets the
-- NAC id of the jobs, and is moved to the channel of the job that they are on duty for.

local radio = exports.radio

local channels = {
    police = '154.755',
    bcso = '460.250',
    ambulance = '463.000',
    fire = '154.280',
}

-- jobOf is the job that a player is on duty for; nil for whoever has left, too.
local function jobOf(src)
    local player = exports.qbx_core:GetPlayer(src)
    local job = player and player.PlayerData.job
    return job and job.onduty and job.name or nil
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

local function changed(src)
    radio:refreshNacId(src)
    local name = jobOf(src)
    if name and channels[name] then
        move(src, name)
    end
end

-- Local events of the server. grade is nil when somebody leaves the group.
AddEventHandler('qbx_core:server:onGroupUpdate', function(src, group, grade)
    if grade and jobOf(src) == group then
        changed(src)
    else
        radio:refreshNacId(src)
    end
end)

AddEventHandler('QBCore:Server:SetDuty', function(src)
    changed(src)
end)

-- A character is chosen: its job is known only now.
AddEventHandler('QBCore:Server:PlayerLoaded', function(player)
    changed(player.PlayerData.source)
end)
