fx_version 'cerulean'
game 'gta5'

dependency 'radio'
client_script 'client.lua'
