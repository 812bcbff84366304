//go:build race

package sfu

// crowd is how many listeners the tests of a crowd have: fewer under the race
// detector, which makes every handshake many times dearer.
const (
	crowd = 40
	raced = true
)
