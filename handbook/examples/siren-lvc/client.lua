-- Luxart Vehicle Control: the siren behind a voice starts and ends with the siren, not up
-- to half a second later. LVC sends this event on every change; calls at any rate are fine.

AddEventHandler('lvc:UpdateThirdParty', function()
    exports.radio:NotifySirenChanged()
end)
