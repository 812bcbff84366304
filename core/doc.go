// Package core is the radio: who is where, who may talk, who hears whom. It is
// a deterministic state machine. It reads no clock, rolls no dice, starts no
// goroutine and calls nothing outside: commands come in, facts and a route table
// come out, and the same commands at the same moments give the same state, byte
// for byte. Replay, the simulation, a restart and the panel's practice mode rest on
// that.
//
// # The contract of Step
//
// One goroutine owns a State. It gives each command to Step with the moment and
// the Actor (who asked, on which surface), and acts on the Output in this order:
//
//  1. if Routes is not nil, install it in the media plane. That comes before
//     anybody is told, so that the first syllable of a talker is not clipped;
//  2. deliver Events in order, each to its Audience, which Step has decided;
//  3. hand audited events (Audit) and, if Save, Snapshot().Durable() to the
//     store, off this goroutine; only the reply to this command waits for it;
//  4. call Tick at Wake (zero: no timer), unless a later Step gives another Wake.
//
// An error is always an *Error with a Kind and the field at fault, and the
// command has changed nothing: the Output then carries only what the passing of
// time brought, and is acted on all the same. A refusal that others may care
// about is not an error but a fact: a busy channel gives FloorDenied.
//
// Time never runs backwards: a moment before the latest one seen counts as the
// latest.
//
// # Words
//
// A user is a player (positive id) or a dispatcher (negative id). A channel is
// a configured frequency; a talkgroup (trunked channel) has a base and working
// frequencies. The floor is the right to talk on a channel; a talk is a held
// PTT that has it. A leg is one listener of a talk.
package core
