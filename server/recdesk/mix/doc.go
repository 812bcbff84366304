// Package mix makes one Ogg Opus listening file of many recordings: each of them is
// decoded where it belongs in time, those that overlap are added without clipping, and
// the sum is encoded while it is written. It holds a block of sound and a decoder for
// each recording that is heard at that moment, however long the file gets.
package mix
