//go:build !unix

package eio

import "net"

// rawWriter is not available on this system: every peer gets a writer goroutine.
type rawWriter struct{}

func newRawWriter(net.Conn) *rawWriter { return nil }

func (*rawWriter) try([]byte) (int, error) { return 0, nil }
