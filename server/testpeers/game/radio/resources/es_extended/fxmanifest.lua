fx_version 'cerulean'
game 'gta5'
description 'What the tests need of ESX: the shared object, and the event of a new job'
server_script 'server.lua'
