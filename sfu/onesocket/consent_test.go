package onesocket

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/pion/stun/v4"

	"squelch/sfu/line"
)

// timed is a service whose clock a test sets, and which does nothing by itself.
func timed(t testing.TB) (e *engine, later func(time.Duration)) {
	t.Helper()
	c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	e = newEngine(line.Ports{UDP: c})
	now := int64(1)
	e.time = func() int64 { return now }
	if err := e.open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	return e, func(d time.Duration) { now += int64(d) }
}

// connected is a line on a timed service, as after its handshake.
func connected(t testing.TB, e *engine) (*desk, *peer) {
	t.Helper()
	d := newDesk()
	l, _, err := open(e, d, "E3:B0:C4:42:98:FC:1C:14:9A:FB:F4:C8:99:6F:B9:24:27:AE:41:E4:64:9B:93:4C:A4:95:99:1B:78:52:B8:55", 1, false)
	if err != nil {
		t.Fatal(err)
	}
	p := l.(*peer)
	p.secure.Store(secureWith(t, 1))
	return d, p
}

// checkOf is a new check that names a client.
func checkOf(t testing.TB, user, password string, more ...stun.Setter) []byte {
	t.Helper()
	setters := append([]stun.Setter{stun.BindingRequest, stun.TransactionID, stun.NewUsername(user + ":" + theirs)}, more...)
	m, err := stun.Build(append(setters, stun.NewShortTermIntegrity(password), stun.Fingerprint)...)
	if err != nil {
		t.Fatal(err)
	}
	return m.Raw
}

func at(address string) netip.AddrPort { return netip.MustParseAddrPort(address) }

// Somebody who hears a client's checks sends forged ones and copies, from its address and
// from elsewhere, for longer than a line lives without a check of its client.
func TestForgedAndCopiedChecksSilenceNoClient(t *testing.T) {
	e, later := timed(t)
	d, p := connected(t, e)
	home, elsewhere := at("127.0.0.1:9"), at("127.0.0.2:9")
	for second := range 2 * line.ConsentTimeout / time.Second {
		own := checkOf(t, p.user, p.password, nominate)
		if second > 0 {
			for range 2 * checksEach {
				e.check(checkOf(t, p.user, "wrong password of the answer", nominate), home, e.socket)
			}
		}
		if e.check(own, home, e.socket) != p {
			t.Errorf("in second %d the client's check is refused", second)
		}
		answered := 0
		for range 2 * checksEach {
			if e.check(own, home, e.socket) != nil {
				answered++
			}
			if e.check(own, elsewhere, e.socket) != nil {
				t.Fatal("a copy from elsewhere is taken")
			}
		}
		if answered != checksEach {
			t.Errorf("%d copies are answered, the limit is %d", answered, checksEach)
		}
		if e.check(checkOf(t, p.user, p.password), home, e.socket) != p {
			t.Errorf("in second %d the client's next check is refused", second)
		}
		later(time.Second)
		p.sweep(e.clock())
	}
	if len(d.over) > 0 {
		t.Errorf("the line has ended: %v", <-d.over)
	}
	later(line.ConsentTimeout)
	p.sweep(e.clock())
	if len(d.over) == 0 {
		t.Error("a client that checks no more is not missed")
	}
}

func TestACopiedCheckMovesNobody(t *testing.T) {
	e, _ := timed(t)
	_, p := connected(t, e)
	home, away := at("127.0.0.1:9"), at("127.0.0.9:9")
	captured := checkOf(t, p.user, p.password, nominate)
	e.datagram(captured, home)
	for port := range uint16(2 * maxPaths) {
		e.datagram(captured, netip.AddrPortFrom(away.Addr(), port+1))
	}
	if to := p.to.Load(); to == nil || to.at != home {
		t.Errorf("voice goes to %v", to)
	}
	if e.where.peers[home] != p || len(e.where.peers) != 1 {
		t.Errorf("the client is known at %v", e.where.peers)
	}
	e.datagram(checkOf(t, p.user, p.password, nominate), away)
	if to := p.to.Load(); to.at != away {
		t.Errorf("the client has moved, voice goes to %v", to.at)
	}
}

func TestTheClientMovesWithALateCheck(t *testing.T) {
	e, later := timed(t)
	_, p := connected(t, e)
	home, away := at("127.0.0.1:9"), at("127.0.0.9:9")
	e.datagram(checkOf(t, p.user, p.password, nominate), home)
	later(line.AddressPatience - time.Millisecond)
	e.datagram(checkOf(t, p.user, p.password), away)
	if to := p.to.Load(); to.at != home {
		t.Errorf("voice goes to %v although the client was just at %v", to.at, home)
	}
	later(time.Millisecond)
	e.datagram(checkOf(t, p.user, p.password), away)
	if to := p.to.Load(); to.at != away {
		t.Errorf("voice goes to %v although the client has long been at %v only", to.at, away)
	}
}

// A change of the wall clock must neither end lines nor keep them.
func TestTheClockIsNotThatOfTheWall(t *testing.T) {
	e := service(t, "127.0.0.1:0")
	d, p := connected(t, e)
	defer p.Close()
	if e.check(checkOf(t, p.user, p.password, nominate), at("127.0.0.1:9"), e.socket) != p {
		t.Fatal("the check is not taken")
	}
	for what, then := range map[string]int64{"now": e.clock(), "the line began": p.born, "the client checked": p.checkedAt.Load()} {
		if then <= 0 || then > int64(24*time.Hour) {
			t.Errorf("%s at %v of a service that has just begun", what, time.Duration(then))
		}
	}
	if len(d.over) > 0 {
		t.Errorf("the line has ended: %v", <-d.over)
	}
}
