//go:build race

package client_test

func init() { raceFlags = []string{"-race"} }
