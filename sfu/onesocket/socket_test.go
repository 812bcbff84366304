package onesocket

import (
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"squelch/sfu/line"
)

// narrow is a port as Windows has it: a datagram that is longer than the memory for it is an
// error.
type narrow struct {
	net.PacketConn
	errors atomic.Int32
}

func (n *narrow) ReadFrom(b []byte) (int, net.Addr, error) {
	var room [64 << 10]byte
	size, from, err := n.PacketConn.ReadFrom(room[:])
	if err == nil && size > len(b) {
		n.errors.Add(1)
		return 0, from, errors.New("wsarecvfrom: a message is larger than the buffer")
	}
	return copy(b, room[:size]), from, err
}

func TestDatagramsThatAreTooLongHoldUpNobody(t *testing.T) {
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	port := &narrow{PacketConn: c}
	e, err := New(line.Ports{UDP: port})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	client, attacker := newPhone(t, e.(*engine)), newPhone(t, e.(*engine))
	client.offers(e.(*engine), newDesk(), 1)
	for _, size := range []int{line.ReceiveMTU + 1, 20_000, 65_507} {
		attacker.send(make([]byte, size))
	}
	client.arrives()
	if n := port.errors.Load(); n != 0 {
		t.Errorf("%d datagrams were errors, each of which makes everybody wait", n)
	}
}
