package onesocket

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/pion/transport/v4"
	"github.com/pion/transport/v4/stdnet"

	"squelch/sfu/line"
)

// machine has the addresses that a test gives it.
type machine struct {
	*stdnet.Net
	addresses []string
	err       error
}

func (m *machine) Interfaces() ([]*transport.Interface, error) {
	if m.err != nil {
		return nil, m.err
	}
	i := transport.NewInterface(net.Interface{Index: 1, Name: "eth0", Flags: net.FlagUp})
	for _, a := range m.addresses {
		i.AddAddress(&net.IPNet{IP: net.ParseIP(a), Mask: net.CIDRMask(16, 32)})
	}
	return []*transport.Interface{i}, nil
}

func TestWhichAddressesClientsAreTold(t *testing.T) {
	m := &machine{addresses: []string{"127.0.0.1", "192.0.2.1", "169.254.7.8", "fe80::1", "2001:db8::1", "::1"}}
	a := &addresses{net: m, on: netip.IPv4Unspecified()}
	want := []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("169.254.7.8"), netip.MustParseAddr("2001:db8::1")}
	if got, err := a.now(); err != nil || !slices.Equal(got, want) {
		t.Errorf("told %v, %v", got, err)
	}
	m.err = errors.New("out of memory")
	a.readAt = time.Now().Add(-2 * addressesFor)
	if got, err := a.now(); err != nil || !slices.Equal(got, want) {
		t.Errorf("when the system cannot say: told %v, %v", got, err)
	}
	m.err, m.addresses = nil, []string{"192.0.2.2"}
	if got, err := a.now(); err != nil || len(got) != 1 || got[0] != netip.MustParseAddr("192.0.2.2") {
		t.Errorf("when it can say again: told %v, %v", got, err)
	}
}

func TestNoAnswerWithoutAddresses(t *testing.T) {
	c, err := net.ListenUDP("udp", &net.UDPAddr{})
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{err: errors.New("out of memory"), addresses: []string{"192.0.2.1"}}
	e, err := New(line.Ports{UDP: c, Net: m})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	p := newPhone(t, e.(*engine))
	if _, _, err := open(e.(*engine), newDesk(), p.print, 1, false); !errors.Is(err, m.err) {
		t.Errorf("an offer is answered with %v", err)
	}
	if n, err := e.Candidates(t.Context()); n != 0 || !errors.Is(err, m.err) {
		t.Errorf("there are %d candidates, %v", n, err)
	}
	m.err = nil
	l, answer, err := open(e.(*engine), newDesk(), p.print, 1, false)
	if err != nil || attribute(answer, "candidate") == "" {
		t.Fatalf("a moment later an offer is answered with %q, %v", answer, err)
	}
	l.Close()
}
