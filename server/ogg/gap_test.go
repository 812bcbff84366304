package ogg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/tphakala/go-opus/opus"

	"squelch/sfu/opus/packet"
)

// bursts records 60 packets, a pause, and 10 packets more.
func bursts(t *testing.T, said [][]byte, pause uint64) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, 1, Head{Channels: 1}, Tags{})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range said {
		if i == 60 {
			if err := w.Gap(pause); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.WritePacket(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Gap(packet.Rate); !errors.Is(err, ErrClosed) {
		t.Errorf("a gap after the end: %v", err)
	}
	return file.Bytes()
}

func TestAPauseBetweenBurstsIsKept(t *testing.T) {
	said := talk(70)
	said[1], said[11], said[21], said[31], said[41], said[51], said[61] = said[0], said[0], said[0], said[0], said[0], said[0], said[0]
	for _, pause := range []uint64{0, 959, 960, 961, 5760, 3 * packet.Rate, 3*packet.Rate + 2000} {
		file := bursts(t, said, pause)
		packets, r := play(t, file)
		var voice [][]byte
		var silence uint64
		for _, p := range packets {
			if IsGap(p) {
				silence += uint64(packet.Samples(p))
				if len(voice) != 60 {
					t.Errorf("silence after %d packets of voice", len(voice))
				}
				continue
			}
			voice = append(voice, p)
		}
		if !same(said, voice) {
			t.Errorf("a pause of %d samples changed the voice around it", pause)
		}
		if want := pause - pause%960; silence != want || r.Granule() != 70*960+want {
			t.Errorf("a pause of %d samples lasts %d, and the recording %d", pause, silence, r.Granule())
		}
	}
}

// Every page's granule position counts the packets that end on it and nothing
// else (RFC 7845 section 4.1), and no page holds more than a second and a packet.
func TestPositionsCountOnlyPackets(t *testing.T) {
	file := bursts(t, talk(70), 10*packet.Rate)
	var at, long uint64
	n := 0
	for from, size := range pages(file) {
		if n++; n <= 2 {
			continue // headers
		}
		page := file[from : from+size]
		lacing, body := page[headerSize:headerSize+int(page[26])], page[headerSize+int(page[26]):]
		before := at
		for i := 0; i < len(lacing); {
			length := 0
			for ; lacing[i] == 255; i++ {
				length += 255
			}
			length += int(lacing[i])
			i++
			at += uint64(packet.Samples(body[:length]))
			body = body[length:]
		}
		if granule := binary.LittleEndian.Uint64(page[6:]); granule != at {
			t.Errorf("page %d ends at sample %d, its packets at %d", n, granule, at)
		}
		long = max(long, at-before)
	}
	if at != 70*960+10*packet.Rate || long > packet.Rate+packet.MaxSamples {
		t.Errorf("the pages last %d samples, the longest %d", at, long)
	}
}

func TestADecoderTakesAPauseOfEveryConfiguration(t *testing.T) {
	for config := range byte(32) {
		var file bytes.Buffer
		w, err := NewWriter(&file, 1, Head{Channels: 1}, Tags{})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.WritePacket([]byte{config << 3}); err != nil {
			t.Fatal(err)
		}
		voice := w.Granule()
		if err := w.Gap(packet.Rate); err != nil {
			t.Fatal(err)
		}
		pause := w.Granule() - voice
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if pause > packet.Rate || pause < packet.Rate-voice {
			t.Errorf("configuration %d: a pause of a second lasts %d samples", config, pause)
		}
		decoder, err := opus.NewDecoder(packet.Rate, 1)
		if err != nil {
			t.Fatal(err)
		}
		packets, _ := play(t, file.Bytes())
		var heard uint64
		for _, p := range packets {
			n, err := decoder.Decode(p, make([]int16, packet.MaxSamples))
			if err != nil {
				t.Fatalf("configuration %d: %x: %v", config, p, err)
			}
			heard += uint64(n)
		}
		if heard != voice+pause {
			t.Errorf("configuration %d: %d samples are heard of %d", config, heard, voice+pause)
		}
	}
}
