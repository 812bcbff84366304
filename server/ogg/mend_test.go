package ogg

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/tphakala/go-opus/opus"

	"squelch/sfu/opus/packet"
)

// shortPages records 30 packets in pages of 240 ms, and where each page ends.
func shortPages(t testing.TB) (file []byte, ends []int) {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, 7, Head{Channels: 1}, Tags{Vendor: "v", Comments: []string{"A=b"}})
	if err != nil {
		t.Fatal(err)
	}
	w.PageSamples(packet.Rate * 240 / 1000)
	for i := range 30 {
		if err := w.WritePacket([]byte{31 << 3, byte(i), 1, 2}); err != nil {
			t.Fatal(err)
		}
		if waits := w.granule - w.began; waits > packet.Rate*240/1000 {
			t.Errorf("after packet %d %d samples wait", i, waits)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for at, size := range pages(out.Bytes()) {
		ends = append(ends, at+size)
	}
	return out.Bytes(), ends
}

// memory is a file in memory.
type memory struct {
	data []byte
	at   int64
}

func (m *memory) Read(b []byte) (int, error) {
	if m.at >= int64(len(m.data)) {
		return 0, io.EOF
	}
	n := copy(b, m.data[m.at:])
	m.at += int64(n)
	return n, nil
}

func (m *memory) Write(b []byte) (int, error) {
	m.data = append(m.data[:m.at], b...)
	m.at += int64(len(b))
	return len(b), nil
}

func (m *memory) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
		m.at = offset
	case io.SeekEnd:
		m.at = int64(len(m.data)) + offset
	}
	return m.at, nil
}

func (m *memory) Truncate(size int64) error {
	m.data = m.data[:size]
	return nil
}

func fileOf(data []byte) *memory { return &memory{data: bytes.Clone(data)} }

func TestAFileIsMendedWhereverItWasCutOff(t *testing.T) {
	file, ends := shortPages(t)
	if len(ends) != 2+3 {
		t.Fatalf("%d pages, want 2 with headers and 3 with voice", len(ends))
	}
	for size := range file {
		f := fileOf(file[:size])
		m, err := Mend(f)
		if size < ends[1] {
			if !errors.Is(err, ErrNotOpus) || !bytes.Equal(f.data, file[:size]) {
				t.Errorf("cut off at %d, in the headers: %v", size, err)
			}
			continue
		}
		want := 0
		for i, end := range ends[2:] {
			if size >= end {
				want = min(30, (i+1)*12)
			}
		}
		got := bytes.Clone(f.data)
		packets, r := play(t, got)
		if err != nil || m.Whole || m.Packets != want || m.Samples != uint64(want)*960 || m.Bytes != int64(len(got)) ||
			len(packets) != want || !r.done || r.Granule() != m.Samples {
			t.Errorf("cut off at %d: %+v, %v, and %d packets are read of %d", size, m, err, len(packets), want)
		}
		dec, err := opus.NewDecoder(packet.Rate, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range packets {
			if _, err := dec.Decode(p, make([]int16, packet.MaxSamples)); err != nil {
				t.Errorf("cut off at %d: a decoder says %v", size, err)
			}
		}
		again, err := Mend(f)
		if err != nil || !again.Whole || !bytes.Equal(f.data, got) {
			t.Errorf("cut off at %d: it is mended twice: %+v, %v", size, again, err)
		}
	}
	f := fileOf(file)
	if m, err := Mend(f); err != nil || !m.Whole || m.Packets != 30 || m.Bytes != int64(len(file)) || !bytes.Equal(f.data, file) {
		t.Errorf("a whole file: %+v, %v", m, err)
	}
}

func FuzzMend(f *testing.F) {
	file, ends := shortPages(f)
	f.Add(file)
	f.Add(file[:ends[3]+10])
	f.Add(append(bytes.Clone(file[:ends[2]]), file[ends[3]:]...))
	f.Fuzz(func(t *testing.T, b []byte) {
		f := fileOf(b)
		m, err := Mend(f)
		if err != nil {
			return
		}
		packets, r := play(t, f.data)
		voice := 0
		for _, p := range packets {
			if !IsGap(p) {
				voice++
			}
		}
		if voice != m.Packets || r.Granule() != m.Samples || !r.done {
			t.Fatalf("%+v is found, and then %d packets to %d", m, voice, r.Granule())
		}
	})
}
