package bench

import (
	"context"
	"crypto/rand"
	"encoding/binary"

	"github.com/pion/rtp"

	"squelch/core"
)

// attack is one way to attack the voice ports.
type attack struct {
	name string
	says string
	rate int  // steps per second
	many bool // steps wait for answers, so many run at once
	// ready gets the attackers ready. step does the nth step, and says whether it was refused.
	ready func(ctx context.Context, g *gang) (step func(n int) (refused bool, err error), err error)
}

// attacks are all of them. The rates leave some CPU to the service on two cores, which the
// attack has to share with it.
var attacks = []attack{
	{"noise", "20,000 datagrams/s of strangers: noise, and what looks like RTP", 20_000, false, noise},
	{"streams", "20,000/s of a connected client: RTP of unknown streams, not authentic", 20_000, false, streams},
	{"checks", "20,000 forged connectivity checks/s: of nobody, and with a wrong password", 20_000, false, checks},
	{"replay", "20,000 times/s a packet of voice that was heard before", 20_000, false, replay},
	{"talk", "a talker on another channel at 20 times the rate of voice", 1000, false, talk},
	{"fragments", "256 clients send 20,000 pieces/s of handshakes that are never complete", 20_000, false, fragments},
	{"offers", "30 clients make 300 offers/s, 3000 in 10 s, one of them half of these", 300, true, offers},
	{"handshakes", "500 clients begin 1000 handshakes/s, 10,000 in 10 s, and finish none", 1000, true, handshakes},
}

func attackNamed(name string) *attack {
	for i := range attacks {
		if attacks[i].name == name {
			return &attacks[i]
		}
	}
	return nil
}

// datagram is noise with a beginning.
func datagram(head ...byte) []byte {
	b := make([]byte, 200)
	_, _ = rand.Read(b)
	copy(b, head)
	return b
}

type step = func(n int) (refused bool, err error)

func noise(ctx context.Context, g *gang) (step, error) {
	some, err := g.bandits(ctx, 1)
	if err != nil {
		return nil, err
	}
	var strangers []*bandit
	for range 16 {
		b, err := g.stranger(some[0].Service())
		if err != nil {
			return nil, err
		}
		strangers = append(strangers, b)
	}
	kinds := [][]byte{datagram(), datagram(0x80, 111), datagram(22, 254, 253), datagram(0, 1, 0, 180, 0x21, 0x12, 0xa4, 0x42)}
	return func(n int) (bool, error) {
		b := kinds[n%len(kinds)]
		binary.BigEndian.PutUint32(b[8:], uint32(n)) // another SSRC each time
		strangers[n%len(strangers)].Send(b)
		return false, nil
	}, nil
}

// caller is a client that is connected, on the channel that is not the talker's.
func (g *gang) caller(ctx context.Context) (*bandit, error) {
	all, err := g.bandits(ctx, 1)
	if err != nil {
		return nil, err
	}
	b := all[0]
	if _, err := b.socket.Call(ctx, "setSpeakerChannel", frequency(1)); err != nil {
		return nil, err
	}
	return b, b.connects(ctx)
}

func streams(ctx context.Context, g *gang) (step, error) {
	b, err := g.caller(ctx)
	if err != nil {
		return nil, err
	}
	packet := datagram(0x80, 111)
	return func(n int) (bool, error) {
		binary.BigEndian.PutUint16(packet[2:], uint16(n))
		binary.BigEndian.PutUint32(packet[8:], uint32(n))
		b.Send(packet)
		return false, nil
	}, nil
}

func checks(ctx context.Context, g *gang) (step, error) {
	b, err := g.caller(ctx)
	if err != nil {
		return nil, err
	}
	return func(n int) (bool, error) {
		if n%2 == 0 {
			return false, b.Forge("")
		}
		return false, b.Forge("nobody")
	}, nil
}

func replay(ctx context.Context, g *gang) (step, error) {
	b, err := g.caller(ctx)
	if err != nil {
		return nil, err
	}
	heard, err := b.Protect(rtp.Header{PayloadType: 111, SSRC: 9, SequenceNumber: 1}, numbered(1))
	return func(int) (bool, error) {
		b.Send(heard)
		return false, nil
	}, err
}

func talk(ctx context.Context, g *gang) (step, error) {
	b, err := g.caller(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := b.socket.Call(ctx, "setTalking", map[string]any{"state": true, "frequency": frequency(1)}); err != nil {
		return nil, err
	}
	return func(n int) (bool, error) {
		return false, b.Talk(rtp.Header{PayloadType: 111, SSRC: 9, SequenceNumber: uint16(n), Timestamp: uint32(n) * 960}, numbered(n))
	}, nil
}

func fragments(ctx context.Context, g *gang) (step, error) {
	all, err := g.bandits(ctx, 256)
	if err != nil {
		return nil, err
	}
	for _, b := range all {
		if err := b.arrives(ctx); err != nil {
			return nil, err
		}
	}
	return func(n int) (bool, error) {
		b, n := all[n%len(all)], n/len(all)
		length := 1100
		if n%2 == 0 {
			length = 1
		}
		b.Send(piece(n, n%20, n*500, length))
		return false, nil
	}, nil
}

// piece is the nth record of a handshake, with a piece of a message of 16 MB (RFC 6347
// section 4.2.2).
func piece(n, message, offset, length int) []byte {
	b := []byte{22, 254, 253, 0, 0, 0, 0, 0, 1, byte(n >> 8), byte(n)}
	b = append(b, byte((length+12)>>8), byte(length+12), 1, 255, 255, 255, byte(message>>8), byte(message))
	b = append(b, byte(offset>>16), byte(offset>>8), byte(offset), byte(length>>16), byte(length>>8), byte(length))
	return append(b, make([]byte, length)...)
}

func offers(ctx context.Context, g *gang) (step, error) {
	all, err := g.bandits(ctx, 30)
	return func(n int) (bool, error) {
		b := all[0]
		if n%2 == 0 {
			b = all[1+n/2%(len(all)-1)]
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.offers(ctx)
	}, err
}

func handshakes(ctx context.Context, g *gang) (step, error) {
	all, err := g.bandits(ctx, 500)
	if err != nil {
		return nil, err
	}
	hello := all[0].Hello()
	return func(n int) (bool, error) {
		b := all[n%len(all)]
		b.mu.Lock()
		defer b.mu.Unlock()
		refused, err := b.offers(ctx)
		if refused || err != nil {
			return refused, err
		}
		if err := b.Check(); err != nil {
			return false, err
		}
		b.Send(hello)
		return false, nil
	}, nil
}

// firstBandit is the id of the first attacker; the listeners' are below a thousand.
const firstBandit core.UserID = -20_000
