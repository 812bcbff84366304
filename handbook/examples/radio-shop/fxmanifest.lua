fx_version 'cerulean'
game 'gta5'

dependencies { 'radio', 'ox_inventory' }
server_script 'server.lua'
