fx_version 'cerulean'
game 'gta5'

dependencies { 'radio', 'qbx_core' }
server_script 'server.lua'
