fx_version 'cerulean'
game 'gta5'

dependencies { 'radio', 'qb-core' }
server_script 'server.lua'
