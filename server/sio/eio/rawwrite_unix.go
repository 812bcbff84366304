//go:build unix

package eio

import (
	"net"
	"syscall"
)

// rawWriter writes to a plain TCP connection without ever waiting. The owner
// serialises calls.
type rawWriter struct {
	conn syscall.RawConn  // nil: the connection cannot be written directly
	send func(fd uintptr) // made once: a closure per call would allocate
	buf  []byte
	n    int
	err  syscall.Errno
}

// open makes the writer ready, unless the connection cannot be written directly (TLS,
// pipes): a partial TLS record would corrupt the stream.
func (w *rawWriter) open(conn net.Conn) {
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return
	}
	w.conn, w.send = raw, w.sendFD
}

// ready says whether the connection can be written directly.
func (w *rawWriter) ready() bool { return w.conn != nil }

func (w *rawWriter) sendFD(fd uintptr) {
	for {
		w.n, w.err = sendNow(fd, w.buf)
		if w.err != syscall.EINTR {
			return
		}
	}
}

// try writes what fits. A full send buffer is not an error: n is then small or zero.
func (w *rawWriter) try(b []byte) (n int, err error) {
	w.buf = b
	err = w.conn.Control(w.send) // Write would also make ready to wait, which never happens
	w.buf = nil
	switch {
	case err != nil:
		return 0, err
	case w.err == syscall.EAGAIN:
		return 0, nil
	case w.err != 0:
		return 0, w.err
	}
	return w.n, nil
}
