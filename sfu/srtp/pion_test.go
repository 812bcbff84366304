package srtp

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	pion "github.com/pion/srtp/v3"
)

// opposite is pion/srtp with the same keys, for one direction.
func opposite(t testing.TB, k Keys) *pion.Context {
	t.Helper()
	c, err := pion.CreateContext(k.Key, k.Salt, pion.ProtectionProfile(k.Profile),
		pion.SRTPReplayProtection(windowSize), pion.SRTCPReplayProtection(windowSize))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// anyPacket has a random header, with CSRCs and extension, and a random payload.
func anyPacket(r *rand.Rand, ssrc uint32, sequence uint16) (head, payload []byte) {
	head = header(ssrc, sequence)
	head[1] = byte(r.Uint32())
	for range r.IntN(16) {
		head[0]++
		head = binary.BigEndian.AppendUint32(head, r.Uint32())
	}
	if r.IntN(2) == 0 {
		head[0] |= 0x10
		words := r.IntN(6)
		head = binary.BigEndian.AppendUint16(head, 0x1000) // two-byte header, RFC 8285 section 4.3
		head = binary.BigEndian.AppendUint16(head, uint16(words))
		head = append(head, make([]byte, 4*words)...) // padding elements
	}
	payload = make([]byte, r.IntN(1201))
	for i := range payload {
		payload[i] = byte(r.Uint32())
	}
	return head, payload
}

// outage are steps of sequence numbers: mostly one, sometimes a few packets are lost, and one
// time in rare so many that a few such steps roll over.
func outage(r *rand.Rand, rare int) uint16 {
	switch {
	case r.IntN(rare) == 0:
		return uint16(1 + r.IntN(1<<15-1))
	case r.IntN(20) == 0:
		return uint16(2 + r.IntN(20))
	}
	return 1
}

// TestPionHearsUs: whatever we protect, pion decrypts to the same packet, over many
// roll-overs; and packet by packet both protect alike.
func TestPionHearsUs(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		r := dice(1)
		l, alike, listener := connect(t, k), opposite(t, k), opposite(t, k)
		sequence, slot := uint16(r.IntN(1<<15)), l.out.Stream(talker)
		for range 3000 {
			sequence += outage(r, 20)
			head, payload := anyPacket(r, talker, sequence)
			plain := slices.Concat(head, payload)
			got, err := slot.Seal(nil, head, payload)
			if err != nil {
				t.Fatal(err)
			}
			same, err := alike.EncryptRTP(nil, plain, nil)
			if err != nil || !bytes.Equal(got, same) {
				t.Fatalf("packet %d: we send %x, pion %x (%v)", slot.sent.newest, got, same, err)
			}
			heard, err := listener.DecryptRTP(nil, got, nil)
			if err != nil || !bytes.Equal(heard, plain) {
				t.Fatalf("packet %d: pion hears %x (%v), we sent %x", slot.sent.newest, heard, err, plain)
			}
		}
		if rolls := slot.sent.newest >> 16; rolls < 20 {
			t.Errorf("only %d roll-overs", rolls)
		}
	})
}

// TestWeHearPion: packets of several talkers arrive out of order, some twice and some not at
// all. We take exactly those that pion takes, and hear the same.
func TestWeHearPion(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		r := dice(2)
		l, speaker, listener := connect(t, k), opposite(t, k), opposite(t, k)
		var sequence [3]uint16
		var air [][]byte // under way
		taken, refused := 0, 0
		for range 20000 {
			if n := r.IntN(len(sequence)); len(air) < 20 {
				sequence[n] += outage(r, 300)
				head, payload := anyPacket(r, uint32(n), sequence[n])
				p, err := speaker.EncryptRTP(nil, slices.Concat(head, payload), nil)
				if err != nil {
					t.Fatal(err)
				}
				air = append(air, p)
			}
			if r.IntN(10) == 0 {
				continue
			}
			i := 0
			if r.IntN(4) == 0 { // overtaken
				i = r.IntN(len(air))
			}
			p := air[i]
			if fate := r.IntN(20); fate != 0 { // else it comes again
				air = slices.Delete(air, i, i+1)
				if fate == 1 { // lost
					continue
				}
			}
			theirs, theirErr := listener.DecryptRTP(nil, p, nil)
			ours, err := l.in.RTP(bytes.Clone(p))
			if (err == nil) != (theirErr == nil) || !bytes.Equal(ours, theirs) {
				t.Fatalf("we hear %x, %v; pion %x, %v", ours, err, theirs, theirErr)
			}
			if err == nil {
				taken++
			} else {
				refused++
			}
		}
		if taken < 10000 || refused < 500 {
			t.Errorf("%d packets were heard and %d refused", taken, refused)
		}
		t.Logf("%d heard, %d refused", taken, refused)
	})
}

// TestReportsWithPion: SRTCP both ways, of all lengths up to 1200 bytes.
func TestReportsWithPion(t *testing.T) {
	onBoth(t, func(t *testing.T, k Keys) {
		r := dice(3)
		l, theirs := connect(t, k), opposite(t, k)
		listener := opposite(t, k)
		theirs.SetIndex(talker, 1<<20)
		for words := range 298 {
			plain := report(talker, words)
			sent, err := l.out.RTCP(nil, plain)
			if err != nil {
				t.Fatal(err)
			}
			if heard, err := listener.DecryptRTCP(nil, sent, nil); err != nil || !bytes.Equal(heard, plain) {
				t.Fatalf("pion reads %x, %v; want %x", heard, err, plain)
			}
			sent, err = theirs.EncryptRTCP(nil, plain, nil)
			if err != nil {
				t.Fatal(err)
			}
			if heard, err := l.in.RTCP(bytes.Clone(sent)); err != nil || !bytes.Equal(heard, plain) {
				t.Fatalf("we read %x, %v; want %x", heard, err, plain)
			}
			if r.IntN(3) == 0 {
				l.refusesReport(sent, ErrReplay)
			}
		}
	})
}

// openly is a report from pion, authentic but not encrypted.
func openly(t *testing.T, k Keys, plain []byte) []byte {
	t.Helper()
	c, err := pion.CreateContext(k.Key, k.Salt, pion.ProtectionProfile(k.Profile), pion.SRTCPNoEncryption())
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.EncryptRTCP(nil, plain, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
