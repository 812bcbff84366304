-- A change of job refreshes the NAC id, and the radio of the police goes to dispatch.
AddEventHandler('QBCore:Server:OnJobUpdate', function(src, job)
    exports['radio']:refreshNacId(src)
    if job.type == 'leo' and job.onduty then
        SetTimeout(500, function()
            if not exports['radio']:setUserChannel(src, '154.755') then
                print(('%d could not be moved to dispatch'):format(src))
            end
        end)
    end
end)

-- /signal100 holds the channel of dispatch for an emergency, or frees it.
RegisterCommand('signal100', function()
    print('signal 100', exports.radio:setAlertOnChannel(154.755, nil, 'signal 100'))
end, false)

-- /roster prints who is on which channel.
RegisterCommand('roster', function()
    for _, frequency in ipairs(exports.radio:getActiveChannels()) do
        local names = {}
        for _, id in ipairs(exports.radio:getAllUsersInChannel(frequency)) do
            local user = exports.radio:getUserInfo(id)
            names[#names + 1] = ('%s (%s)'):format(user.name, user.nacId or 'none')
        end
        print(('roster %s: %s'):format(frequency, table.concat(names, ', ')))
    end
end, false)

-- /kick ID takes somebody off the air.
RegisterCommand('kick', function(_, args)
    print('kick', exports.radio:disconnectUser(tonumber(args[1])))
end, false)
