//go:build race

package sfu

// crowd is how many listeners the tests of a crowd have. It is smaller under the race
// detector, which makes every handshake many times slower.
const (
	crowd = 40
	raced = true
)
