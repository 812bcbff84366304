// Package dns is a name server for tests, whose answers may change from one question to
// the next.
package dns

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
)

// Server answers questions about names.
type Server struct {
	conn net.PacketConn

	mu    sync.Mutex
	names map[string][][]netip.Addr
	asked map[question]int
}

type question struct {
	name string
	kind uint16
}

const (
	typeA    = 1
	typeAAAA = 28
)

// New starts a server that ends with the test.
func New(t testing.TB) *Server {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{conn: conn, names: map[string][][]netip.Addr{}, asked: map[question]int{}}
	t.Cleanup(func() { conn.Close() })
	go s.serve()
	return s
}

// Answer sets what a name leads to: the first list at the first question, and so on;
// the last one from then on. Questions about IPv4 and IPv6 are counted apart, because a
// look-up asks both, in any order.
func (s *Server) Answer(name string, answers ...[]netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.names[name], s.asked[question{name, typeA}], s.asked[question{name, typeAAAA}] = answers, 0, 0
}

// Asked is how often the IPv4 addresses of a name were looked up.
func (s *Server) Asked(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[question{name, typeA}]
}

// Resolver asks this server.
func (s *Server) Resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", s.conn.LocalAddr().String())
	}}
}

func (s *Server) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(buf)
		if err != nil {
			return
		}
		if answer := s.answer(buf[:n]); answer != nil {
			_, _ = s.conn.WriteTo(answer, from)
		}
	}
}

// answer makes the answer to one question (RFC 1035 section 4).
func (s *Server) answer(q []byte) []byte {
	const header = 12
	var labels []string
	at := header
	for at < len(q) && q[at] != 0 {
		end := at + 1 + int(q[at])
		if end > len(q) {
			return nil
		}
		labels = append(labels, string(q[at+1:end]))
		at = end
	}
	at++
	if len(q) < at+4 {
		return nil
	}
	kind := binary.BigEndian.Uint16(q[at:])
	found := s.find(strings.ToLower(strings.Join(labels, ".")), kind)
	out := make([]byte, header, 512)
	copy(out, q[:2])
	binary.BigEndian.PutUint16(out[2:], 0x8580) // an answer with authority
	binary.BigEndian.PutUint16(out[4:], 1)
	binary.BigEndian.PutUint16(out[6:], uint16(len(found)))
	out = append(out, q[header:at+4]...)
	for _, ip := range found {
		out = append(out, 0xc0, header) // the name of the question
		out = binary.BigEndian.AppendUint16(out, kind)
		out = append(out, 0, 1, 0, 0, 0, 0) // class IN, not to be kept
		raw := ip.AsSlice()
		out = binary.BigEndian.AppendUint16(out, uint16(len(raw)))
		out = append(out, raw...)
	}
	return out
}

// find is what a name leads to now.
func (s *Server) find(name string, kind uint16) (found []netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	answers := s.names[name]
	if len(answers) == 0 {
		return nil
	}
	n := min(s.asked[question{name, kind}], len(answers)-1)
	s.asked[question{name, kind}]++
	for _, ip := range answers[n] {
		if ip.Is4() && kind == typeA || ip.Is6() && kind == typeAAAA {
			found = append(found, ip)
		}
	}
	return found
}
