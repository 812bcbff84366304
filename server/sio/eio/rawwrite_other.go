//go:build !unix

package eio

import "net"

// rawWriter is not available on this system: every peer gets a writer goroutine.
type rawWriter struct{}

func (*rawWriter) open(net.Conn) {}

func (*rawWriter) ready() bool { return false }

func (*rawWriter) try([]byte) (int, error) { return 0, nil }
