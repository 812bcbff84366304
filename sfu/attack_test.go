package sfu

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"

	"squelch/core"
	"squelch/sfu/phone"
)

// battle is a radio that is attacked while somebody talks.
type battle struct {
	*day
	talker    *keyer
	listeners []*watchman
}

// underAttack runs a story with a talker and three listeners. Whatever it does, they stay
// connected, and what they hear has its place and its time.
func underAttack(t *testing.T, story func(t *testing.T, b *battle)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := newCity(t)
		defer c.close()
		r := onAir(t, Options{})
		defer r.sfu.Close()
		e := newEther(c.attach("10.0.0.1"))
		r.listenOn(Network{UDP: serverAddress, simulated: e})
		b := &battle{day: &day{t: t, r: r, ether: e}}
		b.talker = newKeyer(b.join(-1))
		for id := range 3 {
			b.listeners = append(b.listeners, b.join(-2-core.UserID(id)))
		}
		time.Sleep(time.Second)
		story(t, b)
		for _, w := range append(slices.Clone(b.listeners), b.talker.watchman) {
			if wrong, gone := w.wrong.Load(), w.gone.Load(); wrong != nil {
				t.Errorf("%d: %s", w.id, *wrong)
			} else if gone != nil {
				t.Errorf("%d was dropped: %v", w.id, *gone)
			}
		}
	})
}

// during lets the talker talk, and attacks before each frame. The listeners hear all of
// them.
func (b *battle) during(frames int, attack func(n int)) {
	b.t.Helper()
	var before []int
	for _, w := range b.listeners {
		before = append(before, w.packets)
	}
	b.r.key(b.talker.id, patrol)
	b.talker.says(b.t, frames, func(n int) {
		if n%100 == 0 {
			for _, w := range append(slices.Clone(b.listeners), b.talker.watchman) {
				w.check(b.t)
			}
		}
		attack(n)
	})
	b.r.release(b.talker.id)
	synctest.Wait()
	for i, w := range b.listeners {
		if got := w.packets - before[i]; got != frames {
			b.t.Errorf("%d heard %d of %d frames", w.id, got, frames)
		}
	}
}

// enemy is a client that offers, checks, and then does what it likes.
type enemy struct {
	*phone.Phone
	id   core.UserID
	gone []error
	mu   sync.Mutex
	from netip.AddrPort
}

var enemyIdentity = sync.OnceValues(phone.NewIdentity)

func (b *battle) enemy(id core.UserID) *enemy {
	own, err := enemyIdentity()
	if err != nil {
		b.t.Fatal(err)
	}
	m := &enemy{id: id, from: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(100 + -id>>8), byte(-id)}), 5000)}
	m.Phone = phone.New(own, nil)
	m.Send = b.ether.attach(m.from, func(p []byte) { m.Take(p) })
	return m
}

// offers makes an offer, and takes the answer.
func (m *enemy) offers(r *radio) error {
	answer, err := r.sfu.Answer(context.Background(), m.id, m.Offer(4), PeerEvents{Closed: func(reason error) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.gone = append(m.gone, reason)
	}})
	if err != nil {
		return err
	}
	return m.Answered(answer)
}

// inUse is what the process has in use when it rests.
func inUse() (goroutines int, bytes uint64) {
	synctest.Wait()
	return costs()
}

func TestThreeThousandOffersHarmNobodyElse(t *testing.T) {
	underAttack(t, func(t *testing.T, b *battle) {
		b.crowdOffers() // pools fill
		g0, h0 := inUse()
		m := b.enemy(-100)
		taken, refused := 0, 0
		b.during(200, func(int) {
			for range 15 {
				switch err := m.offers(b.r); {
				case err == nil:
					taken++
				case errors.Is(err, ErrOften):
					refused++
				default:
					t.Fatal(err)
				}
			}
		})
		if taken+refused != 3000 || taken < 20 || taken > 25 {
			t.Errorf("of one client's offers %d were answered and %d refused", taken, refused)
		}
		if n := len(b.r.sfu.Stats().Peers); n != 5 {
			t.Errorf("there are %d connections, want 5", n)
		}
		time.Sleep(time.Second)
		if err := m.offers(b.r); err != nil {
			t.Errorf("a second later: %v", err)
		}
		b.r.sfu.ClosePeer(m.id)
		m.Close()
		b.rests(40 * time.Second)
		b.crowdOffers()
		b.nothingLeft(g0, h0)
		if n := len(b.r.sfu.offers.spent); n != 0 {
			t.Errorf("%d users are still remembered for their offers", n)
		}
	})
}

// crowdOffers lets 60 clients make ten offers each, which are all answered, and leave.
func (b *battle) crowdOffers() {
	b.t.Helper()
	crowd := make([]*enemy, 60)
	for i := range crowd {
		crowd[i] = b.enemy(-200 - core.UserID(i))
	}
	b.during(100, func(n int) {
		if n%10 != 0 {
			return
		}
		for _, m := range crowd {
			if err := m.offers(b.r); err != nil {
				b.t.Errorf("%d: %v", m.id, err)
			}
		}
	})
	if n := len(b.r.sfu.Stats().Peers); n != 4+len(crowd) {
		b.t.Errorf("there are %d connections, want %d", n, 4+len(crowd))
	}
	for _, m := range crowd {
		b.r.sfu.ClosePeer(m.id)
		m.Close()
	}
	b.rests(40 * time.Second)
}

// rests lets time pass; everybody stays connected.
func (b *battle) rests(d time.Duration) {
	for ; d > 0; d -= checkEvery {
		for _, w := range append(slices.Clone(b.listeners), b.talker.watchman) {
			w.check(b.t)
		}
		time.Sleep(checkEvery)
	}
}

// nothingLeft compares what is in use with what was.
func (b *battle) nothingLeft(goroutines int, bytes uint64) {
	b.t.Helper()
	if n, used := inUse(); n > goroutines || used > bytes+1<<20 {
		b.t.Errorf("%d goroutines and %d bytes before the attack, %d and %d after it", goroutines, bytes, n, used)
	}
}

func TestPiecesOfHandshakesFillNoMemory(t *testing.T) {
	// What one client's pieces may take: the limit and what it costs to keep pieces of a few
	// bytes. pion's own limit is 2 MB.
	most := map[Engine]uint64{OneSocket: 256 << 10, Pion: 2500 << 10}[carrier]
	for says, length := range map[string]int{"long ones": 1100, "tiny ones": 1} {
		t.Run(says, func(t *testing.T) {
			underAttack(t, func(t *testing.T, b *battle) {
				b.during(100, func(int) {})
				g0, h0 := inUse()
				const many = 40
				var crowd []*enemy
				for i := range many {
					m := b.enemy(-100 - core.UserID(i))
					if err := m.offers(b.r); err != nil {
						t.Fatal(err)
					}
					if err := m.Check(); err != nil {
						t.Fatal(err)
					}
					crowd = append(crowd, m)
				}
				synctest.Wait()
				b.during(200, func(n int) {
					for _, m := range crowd {
						for k := range 10 {
							k += 10 * n
							m.Send(piece(k, k%20, k*length/2, length)) // each overlaps the one before
						}
					}
				})
				if _, used := inUse(); used > h0+many*most {
					t.Errorf("%d clients' pieces take %d bytes each", many, (used-h0)/many)
				} else {
					t.Logf("%d clients' pieces take %d bytes each", many, (used-min(used, h0))/many)
				}
				for _, m := range crowd {
					b.r.sfu.ClosePeer(m.id)
					m.Close()
				}
				b.rests(40 * time.Second)
				b.nothingLeft(g0, h0)
			})
		})
	}
}

// piece is the nth record of a handshake, with a piece of a message of 16 MB (RFC 6347
// section 4.2.2).
func piece(n, message, offset, length int) []byte {
	b := []byte{22, 254, 253, 0, 0, 0, 0, 0, 1, byte(n >> 8), byte(n)}
	b = append(b, byte((length+12)>>8), byte(length+12), 1, 255, 255, 255, byte(message>>8), byte(message))
	b = append(b, byte(offset>>16), byte(offset>>8), byte(offset), byte(length>>16), byte(length>>8), byte(length))
	return append(b, make([]byte, length)...)
}

func TestAPacketFloodHarmsNobodyElse(t *testing.T) {
	underAttack(t, func(t *testing.T, b *battle) {
		m := b.enemy(-100)
		b.r.tune(m.id, tac)
		if err := m.offers(b.r); err != nil {
			t.Fatal(err)
		}
		if err := m.Check(); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if err := m.Shake(ctx, 1200); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		b.during(50, func(int) {})
		g0, h0 := inUse()
		random := rand.NewChaCha8([32]byte{7})
		noise := func(head ...byte) []byte {
			p := make([]byte, 200)
			_, _ = random.Read(p)
			copy(p, head)
			return p
		}
		from := make([]func([]byte), 16) // strangers
		for i := range from {
			from[i] = b.ether.attach(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 99, byte(i)}), 9), func([]byte) {})
		}
		spoken, err := m.Protect(rtp.Header{PayloadType: 111, SSRC: 9, SequenceNumber: 1}, word(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		report, _ := (&rtcp.ReceiverReport{SSRC: 9, Reports: []rtcp.ReceptionReport{{SSRC: 5, FractionLost: 255}}}).Marshal()
		b.r.key(m.id, tac)
		sequence := uint16(1)
		for says, attack := range map[string]func(n, k int){
			"noise of strangers":          func(n, k int) { from[k%16](noise()) },
			"RTP of strangers":            func(n, k int) { from[k%16](noise(0x80, 111)) },
			"checks of strangers":         func(n, k int) { from[k%16](noise(0, 1, 0, 180, 0x21, 0x12, 0xa4, 0x42)) },
			"checks of nobody":            func(n, k int) { _ = m.Forge("nobody") },
			"forged checks of the client": func(n, k int) { _ = m.Forge("") },
			"RTP of unknown streams":      func(n, k int) { m.Send(noise(0x80, 111)) },
			"RTCP that is not authentic":  func(n, k int) { m.Send(noise(0x80, 201)) },
			"records of no handshake":     func(n, k int) { m.Send(noise(23, 254, 253, 0, 1)) },
			"voice that was heard before": func(n, k int) { m.Send(spoken) },
			"reports without end":         func(n, k int) { _ = m.Tell(report) },
			"voice at twenty times its rate": func(n, k int) {
				sequence++
				_ = m.Talk(rtp.Header{PayloadType: 111, SSRC: 9, SequenceNumber: sequence, Timestamp: uint32(sequence) * 960}, word(1, n))
			},
		} {
			b.during(50, func(n int) {
				for k := range 400 { // 20,000 a second
					attack(n, k)
				}
				synctest.Wait()
			})
			if t.Failed() {
				t.Fatalf("during %s", says)
			}
		}
		var flooded uint64
		for _, p := range b.r.sfu.Stats().Peers {
			if p.User == m.id {
				flooded = p.Flooded
			}
		}
		if flooded < 50*400*9/10 {
			t.Errorf("%d packets of the talker were dropped for their rate", flooded)
		}
		if err := m.Talk(rtp.Header{PayloadType: 111, SSRC: 9, SequenceNumber: sequence + 1}, word(2, 1)); err != nil || len(m.gone) != 0 {
			t.Errorf("the flooding client is gone: %v, %v", m.gone, err)
		}
		b.r.release(m.id)
		b.nothingLeft(g0, h0)
		m.Close()
	})
}
