// Package game is a game server without the game, for tests: the Lua runtime that
// resources find there (bios), with real Lua 5.4 under it, and a host in Node with
// natives, players, permissions, the network and HTTP, all as harsh as the real ones.
// Its own rules are tested in *.test.mjs.
package game
