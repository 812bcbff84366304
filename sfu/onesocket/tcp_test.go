package onesocket

import (
	"fmt"
	"net"
	"net/netip"
	"testing"
	"time"

	"squelch/sfu/line"
)

// aStream is a TCP connection from an address, as accept makes it; nil: it is refused.
func aStream(t *testing.T, port *tcp, from string) *stream {
	ours, client := net.Pipe()
	t.Cleanup(func() { _, _ = ours.Close(), client.Close() })
	s := &stream{t: port, conn: ours, from: at(from), out: make(chan []byte, 1), over: make(chan struct{})}
	if !port.add(s) {
		return nil
	}
	return s
}

func (s *stream) hasEnded() bool {
	select {
	case <-s.over:
		return true
	default:
		return false
	}
}

func TestOneNetworkHasFewStreams(t *testing.T) {
	e, _ := timed(t)
	port := &tcp{e: e, streams: map[*stream]bool{}, each: map[netip.Addr]int{}}
	for says, address := range map[string]func(n int) string{
		"one address of IPv4": func(n int) string { return fmt.Sprintf("192.0.2.1:%d", n+1) },
		"one network of IPv6": func(n int) string { return fmt.Sprintf("[2001:db8:1:2:3::%x]:9", n+1) },
	} {
		var first *stream
		for n := range maxStreamsEach {
			s := aStream(t, port, address(n))
			if s == nil {
				t.Fatalf("%s: stream %d is refused", says, n)
			}
			if first == nil {
				first = s
			}
		}
		if aStream(t, port, address(maxStreamsEach)) != nil {
			t.Errorf("%s has %d streams", says, maxStreamsEach+1)
		}
		first.end()
		first.end()
		if aStream(t, port, address(maxStreamsEach)) == nil {
			t.Errorf("%s: one has ended, another is refused", says)
		}
	}
	for _, other := range []string{"192.0.2.2:9", "[2001:db8:1:3::1]:9"} {
		if aStream(t, port, other) == nil {
			t.Errorf("%s is refused for its neighbour", other)
		}
	}
	for s := range port.streams {
		s.end()
	}
	if len(port.each) != 0 || len(port.streams) != 0 {
		t.Errorf("%d streams of %d networks are left", len(port.streams), len(port.each))
	}
}

func TestThereAreNotTooManyStreams(t *testing.T) {
	e, _ := timed(t)
	port := &tcp{e: e, streams: map[*stream]bool{}, each: map[netip.Addr]int{}}
	for n := range maxStreams {
		port.streams[&stream{from: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(n >> 8), byte(n)}), 9)}] = true
	}
	if aStream(t, port, "192.0.2.1:9") != nil {
		t.Errorf("there are %d streams", maxStreams+1)
	}
	clear(port.streams)
	if aStream(t, port, "192.0.2.1:9") == nil {
		t.Error("all have ended, another is refused")
	}
}

func TestAStreamThatShowsNoClientEnds(t *testing.T) {
	e, later := timed(t)
	port := &tcp{e: e, streams: map[*stream]bool{}, each: map[netip.Addr]int{}}
	silent, checks := aStream(t, port, "192.0.2.1:9"), aStream(t, port, "192.0.2.2:9")
	later(greetingTime)
	port.sweep(e.clock())
	if silent.hasEnded() {
		t.Error("it has no time for its first check")
	}
	checks.aliveAt.Store(e.clock())
	later(time.Second)
	port.sweep(e.clock())
	if !silent.hasEnded() || checks.hasEnded() {
		t.Errorf("without a check it has ended: %v; with one: %v", silent.hasEnded(), checks.hasEnded())
	}
	later(line.ConsentTimeout)
	port.sweep(e.clock())
	if !checks.hasEnded() {
		t.Error("a client that checks no more keeps its stream")
	}
}
