// Package resource is what game servers install: the folder radio, with its Lua for
// both sides.
package resource

import "embed"

// Files is the folder radio.
//
//go:embed all:radio
var Files embed.FS

// ClientScripts are the client's Lua files in the order in which they are loaded.
// They know nothing of the game: headless radios and tests run them too. After them
// come GameScripts.
var ClientScripts = []string{
	"shared/table.lua", "shared/common.lua",
	"client/config.lua", "client/radio.lua", "client/link.lua", "client/channels.lua", "client/talk.lua",
	"client/device.lua", "client/view.lua", "client/exports.lua",
}

// GameScripts need the game around them.
var GameScripts = []string{
	"client/main.lua", "client/keys.lua", "client/anim.lua", "client/siren.lua", "client/gps.lua", "client/scene.lua",
}
