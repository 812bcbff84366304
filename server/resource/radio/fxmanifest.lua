fx_version 'cerulean'
games { 'gta5', 'rdr3' }
rdr3_warning 'I acknowledge that this is a prerelease build of RedM, and I am aware my resources *will* become incompatible once RedM ships.'

name 'radio'
description 'The radio: exports, players and voice, over the Squelch service'
version '5.7.0'

dependency '/onesync'

ui_page 'nui/index.html'
files { 'nui/*' }
nui_callback_strict_mode 'true'

shared_scripts {
    'shared/table.lua',
    'shared/common.lua',
}

server_scripts {
    'server/address.lua',
    'server/convars.lua',
    'server/http.lua',
    'server/picture.lua',
    'server/act.lua',
    'server/exports.lua',
    'server/outbox.lua',
    'server/mirror.lua',
    'server/callbacks.lua',
    'server/permissions.lua',
    'server/players.lua',
    'server/rate.lua',
    'server/relay.lua',
    'server/positions.lua',
    'server/scene.lua',
    'server/main.lua',
}

client_scripts {
    'client/config.lua',
    'client/radio.lua',
    'client/link.lua',
    'client/channels.lua',
    'client/talk.lua',
    'client/device.lua',
    'client/view.lua',
    'client/exports.lua',
    'client/main.lua',
    'client/keys.lua',
    'client/anim.lua',
    'client/siren.lua',
    'client/gps.lua',
    'client/scene.lua',
}
