fx_version 'cerulean'
game 'gta5'
description 'An operator\'s script: a shop that sells radios to those who may have one'
dependencies { 'radio', 'ox_inventory' }
server_script 'server.lua'
client_script 'client.lua'
