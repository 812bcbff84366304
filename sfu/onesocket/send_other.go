//go:build !linux

package onesocket

import "net/netip"

// rawAddress is what sendmmsg needs, which there is on Linux only.
type rawAddress struct{}

func (s *socket) rawAddress(netip.AddrPort) (a rawAddress) { return a }

type many struct{}

func (m *many) begin(*socket) error { return nil }

// sender sends a batch one packet after the other.
type sender struct{}

func (s *sender) begin(*batch) {}

func (s *sender) send(b *batch) { b.sendEach() }
