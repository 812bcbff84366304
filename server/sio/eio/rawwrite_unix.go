//go:build unix

package eio

import (
	"net"
	"syscall"
)

// rawWriter writes to a plain TCP connection without ever waiting. The owner
// serialises calls.
type rawWriter struct {
	conn  syscall.RawConn
	write func(fd uintptr) bool // made once: a closure per call would allocate
	buf   []byte
	n     int
	err   error
}

// newRawWriter returns nil where the connection cannot be written directly
// (TLS, pipes): a partial TLS record would corrupt the stream.
func newRawWriter(conn net.Conn) *rawWriter {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil
	}
	w := &rawWriter{conn: raw}
	w.write = w.writeFD
	return w
}

func (w *rawWriter) writeFD(fd uintptr) bool {
	for {
		w.n, w.err = syscall.Write(int(fd), w.buf)
		if w.err != syscall.EINTR {
			return true
		}
	}
}

// try writes what fits. A full send buffer is not an error: n is then small or zero.
func (w *rawWriter) try(b []byte) (n int, err error) {
	w.buf, w.n, w.err = b, 0, nil
	err = w.conn.Write(w.write)
	w.buf = nil
	if err == nil {
		err = w.err
	}
	if err == syscall.EAGAIN {
		err = nil
	}
	return max(w.n, 0), err
}
