package ogg

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
)

// talk makes n recognisable packets of 20 ms, of sizes around the lacing borders.
func talk(n int) [][]byte {
	sizes := []int{60, 1, 254, 255, 256, 509, 510, 511, 1276, 80}
	var packets [][]byte
	for i := range n {
		p := bytes.Repeat([]byte{byte(i)}, sizes[i%len(sizes)])
		p[0] = 31 << 3 // CELT fullband, one frame of 20 ms
		packets = append(packets, p)
	}
	return packets
}

func record(t *testing.T, packets [][]byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w, err := NewWriter(&file, 7, Head{Channels: 1, PreSkip: 312, InputRate: 8000, Gain: -256}, Tags{Vendor: "squelch", Comments: []string{"TITLE=155.01", "ARTIST=Dispatch"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packets {
		if err := w.WritePacket(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func play(t *testing.T, file []byte) ([][]byte, *Reader) {
	t.Helper()
	r, err := NewReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var packets [][]byte
	for {
		p, err := r.Next()
		if err == io.EOF {
			return packets, r
		}
		if err != nil {
			t.Fatal(err)
		}
		packets = append(packets, bytes.Clone(p))
	}
}

func same(a, b [][]byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !bytes.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func TestARecordingPlaysBackByteForByte(t *testing.T) {
	for _, n := range []int{0, 1, 49, 50, 51, 500} {
		said := talk(n)
		file := record(t, said)
		heard, r := play(t, file)
		if !same(said, heard) {
			t.Fatalf("%d packets were recorded, %d differ or are missing", n, len(heard))
		}
		if r.Granule() != uint64(n)*960 {
			t.Errorf("%d packets end at sample %d", n, r.Granule())
		}
		if r.Head != (Head{Channels: 1, PreSkip: 312, InputRate: 8000, Gain: -256}) || r.Tags.Vendor != "squelch" || len(r.Tags.Comments) != 2 || r.Tags.Comments[1] != "ARTIST=Dispatch" {
			t.Errorf("the headers changed: %+v %+v", r.Head, r.Tags)
		}
		var again bytes.Buffer
		w, _ := NewWriter(&again, r.Serial(), r.Head, r.Tags)
		for _, p := range heard {
			w.WritePacket(p)
		}
		w.Close()
		if !bytes.Equal(again.Bytes(), file) {
			t.Errorf("%d packets: the second recording differs from the first", n)
		}
	}
}

func TestPacketsOverSeveralPages(t *testing.T) {
	// 48 frames of 2.5 ms in one packet of 40 kB: more than 255 lacing values
	// hold when another one is on the page.
	long := make([]byte, 2+48*850)
	long[0], long[1] = 28<<3|3, 48
	said := [][]byte{long, {31 << 3, 1}, long, long, {31 << 3}}
	file := record(t, said)
	heard, r := play(t, file)
	if !same(said, heard) {
		t.Fatal("packets that span pages changed")
	}
	if want := uint64(3*5760 + 2*960); r.Granule() != want {
		t.Errorf("the recording ends at sample %d, want %d", r.Granule(), want)
	}
	middle := false
	for at := range pages(file) {
		middle = middle || (file[at+5]&continued != 0)
	}
	if !middle {
		t.Error("no page begins inside a packet: the case was not covered")
	}
}

// pages yields the offset and length of every page.
func pages(file []byte) func(func(int, int) bool) {
	return func(yield func(int, int) bool) {
		for at := 0; at < len(file); {
			size := headerSize + int(file[at+26])
			for _, v := range file[at+headerSize : at+size] {
				size += int(v)
			}
			if !yield(at, size) {
				return
			}
			at += size
		}
	}
}

func TestPagesCarryWhatTheStandardAsks(t *testing.T) {
	file := record(t, talk(120))
	var flags []byte
	var granules []uint64
	for at := range pages(file) {
		flags = append(flags, file[at+5])
		granules = append(granules, binary.LittleEndian.Uint64(file[at+6:]))
		if n := binary.LittleEndian.Uint32(file[at+18:]); int(n) != len(flags)-1 {
			t.Errorf("page %d is numbered %d", len(flags)-1, n)
		}
	}
	if flags[0] != first || flags[1] != 0 || flags[len(flags)-1]&last == 0 {
		t.Errorf("flags of the pages: %v", flags)
	}
	if granules[0] != 0 || granules[1] != 0 || granules[2] != 50*960 || granules[len(granules)-1] != 120*960 {
		t.Errorf("granule positions: %v", granules)
	}
}

func TestADamagedPageCostsOnlyItsOwnPackets(t *testing.T) {
	said := talk(150)
	file := record(t, said)
	n := 0
	for at, size := range pages(file) {
		if n == 3 { // headers are pages 0 and 1; this one holds packets 50-99
			file[at+size-1] ^= 1
		}
		n++
	}
	heard, _ := play(t, append([]byte("some noise OggOggS"), file...))
	if !same(heard, append(append([][]byte{}, said[:50]...), said[100:]...)) {
		t.Errorf("%d packets survive of the 100 outside the damage", len(heard))
	}
}

func TestARecordingThatWasCutOff(t *testing.T) {
	said := talk(150)
	file := record(t, said)
	heard, _ := play(t, file[:len(file)-40])
	if !same(heard, said[:100]) {
		t.Errorf("%d whole packets are left, want 100", len(heard))
	}
}

func TestOtherStreamsOfTheFileAreIgnored(t *testing.T) {
	said := talk(60)
	file := record(t, said)
	var foreign Writer
	var mixed bytes.Buffer
	foreign = Writer{w: &mixed, serial: 99, ends: noGranule}
	foreign.add([]byte("\x80theora"), 0)
	foreign.flush(first)
	n := 0
	for at, size := range pages(file) {
		mixed.Write(file[at : at+size])
		if n++; n > 1 {
			foreign.add([]byte("a picture"), uint64(n))
			foreign.flush(0)
		}
	}
	heard, r := play(t, mixed.Bytes())
	if !same(said, heard) || r.Serial() != 7 {
		t.Errorf("%d packets of 60 came through", len(heard))
	}
}

func TestWhatIsRefused(t *testing.T) {
	for says, file := range map[string][]byte{
		"nothing":       {},
		"a wave file":   []byte("RIFF....WAVEfmt "),
		"headers alone": record(t, nil)[:60],
	} {
		if _, err := NewReader(bytes.NewReader(file)); !errors.Is(err, ErrNotOpus) {
			t.Errorf("%s: %v", says, err)
		}
	}
	if _, err := NewWriter(io.Discard, 1, Head{Channels: 6}, Tags{}); err == nil {
		t.Error("six channels were accepted")
	}
	w, _ := NewWriter(io.Discard, 1, Head{Channels: 1}, Tags{})
	if err := w.WritePacket([]byte{3, 0}); err == nil {
		t.Error("something that is not an Opus packet was recorded")
	}
	w.Close()
	if err := w.WritePacket([]byte{0, 1}); !errors.Is(err, ErrClosed) {
		t.Errorf("recording after the end: %v", err)
	}
}

func FuzzReader(f *testing.F) {
	var file bytes.Buffer
	w, _ := NewWriter(&file, 1, Head{Channels: 1}, Tags{Vendor: "v", Comments: []string{"A=b"}})
	for _, p := range talk(60) {
		w.WritePacket(p)
	}
	w.Close()
	f.Add(file.Bytes())
	f.Add(append([]byte("OggOggS"), file.Bytes()[60:]...))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := NewReader(bytes.NewReader(b))
		if err != nil {
			return
		}
		for {
			p, err := r.Next()
			if err != nil {
				return
			}
			if len(p) > maxPacket {
				t.Fatalf("a packet of %d bytes", len(p))
			}
		}
	})
}
