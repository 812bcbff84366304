fx_version 'cerulean'
game 'gta5'

dependencies { 'radio', 'es_extended' }
server_script 'server.lua'
