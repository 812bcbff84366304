//go:build !race

package sfu

const (
	crowd = 200
	raced = false
)
