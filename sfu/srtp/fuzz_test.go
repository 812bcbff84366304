package srtp

import (
	"bytes"
	"slices"
	"testing"
)

// FuzzRTP opens any packet, which must not panic; what is taken must be what a sender with the
// key would have sent. If the packet is RTP, it is then sent and opened, first with the bits
// flip of byte at changed: it must be heard unless something was changed.
func FuzzRTP(f *testing.F) {
	for _, gcm := range []bool{true, false} {
		f.Add(gcm, header(talker, 1), uint16(0), byte(0))
		f.Add(gcm, append(header(talker, 0xffff), "over"...), uint16(12), byte(1))
		f.Add(gcm, append([]byte{0x8f}, make([]byte, 70)...), uint16(0), byte(0))
		f.Add(gcm, append([]byte{0x9f}, make([]byte, 99)...), uint16(40), byte(0x80))
		f.Add(gcm, slices.Concat([]byte{0x90}, header(1, 2)[1:], []byte{0xbe, 0xde, 0, 1, 0x10, 0xff, 0, 0}, frame(2)), uint16(1), byte(0x10))
		l, err := NewOut(keys(profileOf(gcm)))
		if err != nil {
			f.Fatal(err)
		}
		sealed, err := l.Stream(talker).Seal(nil, header(talker, 3), frame(3))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(gcm, sealed, uint16(0), byte(0))
		f.Add(gcm, sealed[:len(sealed)-1], uint16(2), byte(4))
	}
	f.Fuzz(func(t *testing.T, gcm bool, packet []byte, at uint16, flip byte) {
		l := connect(t, keys(profileOf(gcm)))
		if plain, err := l.in.RTP(bytes.Clone(packet)); err == nil {
			n, _ := rtpHeader(plain)
			sent, err := l.out.Stream(rtpSSRC(plain)).Seal(nil, plain[:n], plain[n:])
			if err != nil || !bytes.Equal(sent, packet) {
				t.Fatalf("took %x as %x, which is sent as %x, %v", packet, plain, sent, err)
			}
			return // and has been received
		}
		n, ok := rtpHeader(packet)
		if !ok || len(packet) > maxLen {
			return
		}
		sent, err := l.out.Stream(rtpSSRC(packet)).Seal(nil, packet[:n], packet[n:])
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Clone(sent)
		changed[int(at)%len(changed)] ^= flip
		if _, err := l.in.RTP(changed); (err == nil) != (flip == 0) {
			t.Fatalf("bits %#02x of byte %d changed: %v", flip, int(at)%len(sent), err)
		} else if err == nil {
			return
		}
		if len(l.in.sources) != 0 {
			t.Fatalf("a forged packet has begun %+v", l.in.sources)
		}
		if heard, err := l.in.RTP(sent); err != nil || !bytes.Equal(heard, packet) {
			t.Fatalf("sent %x, heard %x, %v", packet, heard, err)
		}
	})
}

// FuzzRTCP is FuzzRTP for SRTCP.
func FuzzRTCP(f *testing.F) {
	for _, gcm := range []bool{true, false} {
		f.Add(gcm, report(talker, 0), uint16(0), byte(0))
		f.Add(gcm, report(talker, 5), uint16(9), byte(1))
		f.Add(gcm, report(talker, 12), uint16(30), byte(0x80))
		l, err := NewOut(keys(profileOf(gcm)))
		if err != nil {
			f.Fatal(err)
		}
		sealed, err := l.RTCP(nil, report(talker, 5))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(gcm, sealed, uint16(0), byte(0))
		f.Add(gcm, sealed[:len(sealed)-1], uint16(2), byte(4))
	}
	f.Fuzz(func(t *testing.T, gcm bool, packet []byte, at uint16, flip byte) {
		l := connect(t, keys(profileOf(gcm)))
		if plain, err := l.in.RTCP(bytes.Clone(packet)); err == nil {
			l.out.reports = uint32(l.in.sources[0].rtcp.newest)
			sent, err := l.out.RTCP(nil, plain)
			if err != nil || !bytes.Equal(sent, packet) {
				t.Fatalf("took %x as %x, which is sent as %x, %v", packet, plain, sent, err)
			}
			return
		}
		if !isRTCP(packet) || len(packet) > maxLen {
			return
		}
		sent, err := l.out.RTCP(nil, packet)
		if err != nil {
			t.Fatal(err)
		}
		changed := bytes.Clone(sent)
		changed[int(at)%len(changed)] ^= flip
		if _, err := l.in.RTCP(changed); (err == nil) != (flip == 0) {
			t.Fatalf("bits %#02x of byte %d changed: %v", flip, int(at)%len(sent), err)
		} else if err == nil {
			return
		}
		if len(l.in.sources) != 0 {
			t.Fatalf("a forged packet has begun %+v", l.in.sources)
		}
		if heard, err := l.in.RTCP(sent); err != nil || !bytes.Equal(heard, packet) {
			t.Fatalf("sent %x, heard %x, %v", packet, heard, err)
		}
	})
}

func profileOf(gcm bool) Profile {
	if gcm {
		return AEAD_AES_128_GCM
	}
	return AES_CM_128_HMAC_SHA1_80
}
