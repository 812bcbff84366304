fx_version 'cerulean'
game 'gta5'
description 'An operator\'s script: jobs, the radio, and a few commands'
dependencies { 'radio', 'qb-core' }
server_script 'server.lua'
