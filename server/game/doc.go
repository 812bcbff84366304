// Package game is what the game server, and scripts in the service, need beyond the
// ordinary routes: a Mirror, from which the game server learns at once what changes on
// the radio, and a Desk, which carries out actions. It knows neither HTTP nor Lua.
//
// A Mirror follows the engine. It keeps a model of the radio as the game server may see
// it, and compares the model with every step: what differs is a change, which gets the
// next position in a ring. So a step that brings nothing new makes no change, whatever
// its events say, and the model is always the state at the newest position.
//
// While nobody asks for changes the mirror neither follows the radio nor keeps a model of
// it.
package game
