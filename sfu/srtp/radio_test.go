package srtp

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
)

var profiles = []Profile{AEAD_AES_128_GCM, AES_CM_128_HMAC_SHA1_80}

// onBoth runs a test with each profile.
func onBoth(t *testing.T, test func(*testing.T, Keys)) {
	for _, p := range profiles {
		t.Run(p.String(), func(t *testing.T) { test(t, keys(p)) })
	}
}

func keys(p Profile) Keys {
	salt, _ := p.saltLen()
	k := Keys{Profile: p, Key: make([]byte, keyLen), Salt: make([]byte, salt)}
	for i := range k.Key {
		k.Key[i] = byte(i*7 + 1)
	}
	for i := range k.Salt {
		k.Salt[i] = byte(i*13 + 5)
	}
	return k
}

// link is the two ends of a connection, in one direction.
type link struct {
	*testing.T
	out *Out
	in  *In
}

const streams = 8

func connect(t *testing.T, k Keys) *link {
	t.Helper()
	out, err := NewOut(k)
	if err != nil {
		t.Fatal(err)
	}
	in, err := NewIn(k, streams)
	if err != nil {
		t.Fatal(err)
	}
	return &link{t, out, in}
}

const talker = 0x5150

// header is an RTP header of Opus without CSRCs and extension.
func header(ssrc uint32, sequence uint16) []byte {
	h := make([]byte, rtpHeaderLen)
	h[0], h[1] = version<<6, 111
	binary.BigEndian.PutUint16(h[2:], sequence)
	binary.BigEndian.PutUint32(h[4:], uint32(sequence)*960)
	binary.BigEndian.PutUint32(h[8:], ssrc)
	return h
}

// frame is what the talker says in a packet.
func frame(sequence uint16) []byte { return fmt.Appendf(nil, "frame %d, over", sequence) }

// voice is a protected packet.
func (l *link) voice(ssrc uint32, sequence uint16) []byte {
	l.Helper()
	p, err := l.out.Stream(ssrc).Seal(nil, header(ssrc, sequence), frame(sequence))
	if err != nil {
		l.Fatalf("sealing %d: %v", sequence, err)
	}
	return p
}

// hears opens a copy of a packet and wants what was said.
func (l *link) hears(packet []byte) {
	l.Helper()
	sequence := rtpSequence(packet)
	p, err := l.in.RTP(append([]byte(nil), packet...))
	if err != nil {
		l.Fatalf("packet %d is not heard: %v", sequence, err)
	}
	if plain := append(header(rtpSSRC(packet), sequence), frame(sequence)...); string(p) != string(plain) {
		l.Fatalf("packet %d:\n got %x\nwant %x", sequence, p, plain)
	}
}

// refuses opens a copy of a packet and wants an error.
func (l *link) refuses(packet []byte, why error) {
	l.Helper()
	if p, err := l.in.RTP(append([]byte(nil), packet...)); err != why || p != nil {
		l.Fatalf("%x: got %x, %v; want %v", packet, p, err, why)
	}
}

// report is a sender report without blocks, or a longer compound.
func report(ssrc uint32, words int) []byte {
	p := make([]byte, rtcpHeaderLen+4*words)
	p[0], p[1] = version<<6, 200
	binary.BigEndian.PutUint16(p[2:], uint16(len(p)/4-1))
	binary.BigEndian.PutUint32(p[4:], ssrc)
	for i := rtcpHeaderLen; i < len(p); i++ {
		p[i] = byte(i)
	}
	return p
}

func (l *link) report(ssrc uint32) []byte {
	l.Helper()
	p, err := l.out.RTCP(nil, report(ssrc, 5))
	if err != nil {
		l.Fatal(err)
	}
	return p
}

func (l *link) reads(packet []byte) {
	l.Helper()
	p, err := l.in.RTCP(append([]byte(nil), packet...))
	if err != nil {
		l.Fatalf("the report is not read: %v", err)
	}
	if plain := report(rtcpSSRC(packet), 5); string(p) != string(plain) {
		l.Fatalf("report:\n got %x\nwant %x", p, plain)
	}
}

func (l *link) refusesReport(packet []byte, why error) {
	l.Helper()
	if p, err := l.in.RTCP(append([]byte(nil), packet...)); err != why || p != nil {
		l.Fatalf("%x: got %x, %v; want %v", packet, p, err, why)
	}
}

// dice are the same in every run.
func dice(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
