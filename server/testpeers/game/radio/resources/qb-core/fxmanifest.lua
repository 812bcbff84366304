fx_version 'cerulean'
game 'gta5'
description 'What the tests need of QBCore: jobs of players, and the event that tells of a change'
server_script 'server.lua'
