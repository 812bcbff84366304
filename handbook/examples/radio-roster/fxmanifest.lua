fx_version 'cerulean'
game 'common'

dependency 'radio'
server_script 'server.lua'
