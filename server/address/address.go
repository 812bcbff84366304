// Package address parses the addresses of callers, and says which of them count as
// one.
package address

import (
	"net/netip"
	"strings"
)

const (
	// prefixV6 is how much of an IPv6 address counts: one customer usually has
	// a whole /64 (RFC 6177).
	prefixV6 = 64
	// maxOther bounds text that is not an IP address, in bytes.
	maxOther = 64
)

// Parse reads an IP address with or without port, with or without brackets. An
// IPv4 address written as IPv6 is the IPv4 address.
func Parse(text string) (netip.Addr, bool) {
	text = strings.TrimSpace(text)
	if with, err := netip.ParseAddrPort(text); err == nil {
		return with.Addr().Unmap().WithZone(""), true
	}
	plain, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return plain.Unmap().WithZone(""), err == nil
}

// Host returns an address without its port, for people to read. Text that is not an
// IP address is returned as it is.
func Host(text string) string {
	if a, ok := Parse(text); ok {
		return a.String()
	}
	return text
}

// Counted returns what limits count by: the IPv4 address, or the IPv6 network of one
// customer. Text that is not an IP address is returned as it is, cut to a bounded
// length.
func Counted(text string) string {
	a, ok := Parse(text)
	if !ok {
		return text[:min(len(text), maxOther)]
	}
	if a.Is4() {
		return a.String()
	}
	network, err := a.Prefix(prefixV6)
	if err != nil {
		return a.String()
	}
	return network.String()
}
