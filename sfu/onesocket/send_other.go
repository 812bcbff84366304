//go:build !linux

package onesocket

import (
	"net/netip"
	"time"
)

// rawAddress is what sendmmsg needs, which there is on Linux only.
type rawAddress struct{}

func (s *socket) rawAddress(netip.AddrPort) (a rawAddress) { return a }

type many struct{}

func (m *many) begin(*socket) error { return nil }

// one sends one datagram. It waits while the buffer of the socket is full.
func (s *socket) one(b []byte, to netip.AddrPort) { _, _ = s.fast.WriteToUDPAddrPort(b, to) }

// sender sends a batch one packet after the other.
type sender struct{ until time.Time }

func (s *sender) begin(*batch) {}

func (s *sender) send(b *batch) { b.sendEach() }
