package onesocket

import (
	"encoding/binary"
	"net"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// aFullSocket is one whose buffer has no room, and whose other end reads nothing.
func aFullSocket(t *testing.T) int {
	t.Helper()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = unix.Close(pair[0]), unix.Close(pair[1]) })
	for range 1_000_000 {
		if err := unix.Sendto(pair[0], []byte("voice"), unix.MSG_DONTWAIT, nil); err == unix.EAGAIN {
			return pair[0]
		}
	}
	t.Fatal("the socket has room without end")
	return 0
}

func TestAFanOutWaitsOnceForRoom(t *testing.T) {
	fd := uintptr(aFullSocket(t))
	b := newBatch(&socket{})
	s := &b.sender
	fill := func() {
		s.count = 1
		packet := []byte("voice")
		s.parts[0].Base = &packet[0]
		s.parts[0].SetLen(len(packet))
		s.headers[0].header.Iov = &s.parts[0]
		s.headers[0].header.SetIovlen(1)
	}
	fill()
	s.sendmmsg(fd)
	first := s.until
	if first.IsZero() || time.Now().Before(first) {
		t.Errorf("it has waited until %v only", first)
	}
	for range 31 { // a fan-out to 2,000
		fill()
		s.sendmmsg(fd)
		if s.until != first {
			t.Fatal("it waits again in the same fan-out")
		}
	}
	b.Flush()
	fill()
	s.sendmmsg(fd)
	if !s.until.After(first) {
		t.Error("the next fan-out does not wait")
	}
}

// TestOneDatagramNeverWaits: it would hold up the only reader.
func TestOneDatagramNeverWaits(t *testing.T) {
	l := &letter{packet: []byte("voice")}
	if !l.sendto(uintptr(aFullSocket(t))) {
		t.Error("it waits for room")
	}
}

func TestALinkLocalClientIsFoundBehindItsInterface(t *testing.T) {
	all, err := net.Interfaces()
	if err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	s := &socket{mapped: true}
	for zone, want := range map[string]uint32{"": 0, all[0].Name: uint32(all[0].Index), "4711": 4711} {
		a := s.rawAddress(netip.AddrPortFrom(netip.MustParseAddr("fe80::1").WithZone(zone), 9))
		if got := binary.NativeEndian.Uint32(a.bytes[24:]); got != want {
			t.Errorf("%q is the interface %d, want %d", zone, got, want)
		}
	}
	if a := s.rawAddress(at("192.0.2.1:9")); binary.NativeEndian.Uint32(a.bytes[24:]) != 0 {
		t.Error("an address of IPv4 has an interface")
	}
}
