package recordings

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tphakala/go-opus/opus"

	"squelch/core"
	"squelch/server/ogg"
	"squelch/sfu/opus/packet"
)

const noon = 1_800_000_000_000 // 2027-01-15, 08:00 UTC

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openAt opens a shelf that is closed with the test.
func openAt(t testing.TB, dir string, o Options) *Shelf {
	t.Helper()
	if o.Logf == nil {
		o.Logf = t.Logf
	}
	s, err := Open(dir, o)
	must(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

// voice makes packets of 20 ms by a real encoder.
var voice = func() (packets [][]byte) {
	enc, err := opus.NewEncoder(opus.EncoderConfig{SampleRate: packet.Rate, Channels: 1, Bitrate: 24_000})
	if err != nil {
		panic(err)
	}
	for i := range 50 {
		pcm := make([]int16, 960)
		for j := range pcm {
			pcm[j] = int16((i*960 + j) * 37 % 8000)
		}
		b := make([]byte, 1275)
		n, err := enc.Encode(pcm, b)
		if err != nil {
			panic(err)
		}
		packets = append(packets, b[:n])
	}
	return packets
}()

// entry is a burst of a unit on a channel; number and start make its ID.
func entry(number int, start int64) Entry {
	return Entry{
		ID: core.Transmission{Number: number, StartedAt: start}.ID(), Frequency: 154_755_000,
		User: 7, Name: "Jane Doe", Unit: "1-Adam-12",
	}
}

// tape puts a burst on the shelf that has this many packets of voice.
func tape(t testing.TB, s *Shelf, e Entry, packets int) Entry {
	t.Helper()
	b, err := s.Create(e)
	must(t, err)
	for i := range packets {
		must(t, b.WriteOpus(voice[i%len(voice)], 0))
	}
	k, _ := parseID(e.ID)
	e.End = k.start + int64(packets)*20
	must(t, b.Done(e))
	got, ok := s.Get(e.ID)
	if !ok && packets > 0 {
		t.Fatalf("%s is not on the shelf", e.ID)
	}
	return got
}

// play decodes a recording, and returns its length in ms and its packets with voice.
func play(t testing.TB, s *Shelf, id string) (ms int64, packets int) {
	t.Helper()
	f, err := s.Open(id, Ogg)
	must(t, err)
	defer f.Close()
	return decode(t, f)
}

func decode(t testing.TB, in io.Reader) (ms int64, packets int) {
	t.Helper()
	r, err := ogg.NewReader(in)
	must(t, err)
	dec, err := opus.NewDecoder(packet.Rate, 1)
	must(t, err)
	samples := 0
	for {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		n, err := dec.Decode(p, make([]int16, packet.MaxSamples))
		must(t, err)
		samples += n
		if !ogg.IsGap(p) {
			packets++
		}
	}
	return int64(samples) * 1000 / packet.Rate, packets
}

func TestABurstIsListedAndPlays(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, Options{})
	e := entry(7, noon)
	e.Digital = true
	b, err := s.Create(e)
	must(t, err)
	for i, p := range voice {
		pause := uint64(0)
		if i == 20 {
			pause = packet.Rate / 2
		}
		must(t, b.WriteOpus(p, pause))
		must(t, b.WriteIMBE(make([]byte, frameBytes)))
	}
	if live, ok := s.Get(e.ID); !ok || live.End != 0 || live.Packets != len(voice) {
		t.Errorf("on the air it is %+v", live)
	}
	if page, _ := s.List(Query{}); len(page) != 0 {
		t.Errorf("a burst on the air is listed: %+v", page)
	}
	f, err := s.Open(e.ID, Ogg)
	must(t, err)
	if ms, _ := decode(t, f); ms < 1500-240 || f.Entry.End != 0 {
		t.Errorf("what there is so far plays for %d ms", ms)
	}
	must(t, f.Close())
	e.End, e.Lost = noon+1500, 3
	must(t, b.Done(e))
	if err := b.WriteOpus(voice[0], 0); !errors.Is(err, ErrClosed) {
		t.Errorf("voice after the end: %v", err)
	}
	check := func(s *Shelf) {
		t.Helper()
		page, next := s.List(Query{})
		if len(page) != 1 || next != "" {
			t.Fatalf("the list is %+v", page)
		}
		got := page[0]
		if got.Number != 7 || got.Start != noon || got.End != noon+1500 || got.Format != Ogg || got.VoiceMs != 1500 ||
			got.Packets != 50 || got.Lost != 3 || got.IMBEBytes != 50*frameBytes || got.Cut || got.Name != "Jane Doe" || !got.Digital {
			t.Errorf("the entry is %+v", got)
		}
		if ms, n := play(t, s, e.ID); ms != 1500 || n != 50 {
			t.Errorf("it plays for %d ms with %d packets", ms, n)
		}
		info, err := os.Stat(filepath.Join(dir, "2027-01-15", "08", e.ID+".ogg"))
		must(t, err)
		if info.Size() != got.Bytes || info.Mode().Perm() != 0o600 {
			t.Errorf("the file has %d bytes and the mode %v, the entry says %d", info.Size(), info.Mode(), got.Bytes)
		}
	}
	check(s)
	must(t, s.Close())
	check(openAt(t, dir, Options{}))
}

// A disk that hangs holds the writer up, and nobody who looks at the shelf.
func TestWhoLooksDoesNotWaitForTheDisk(t *testing.T) {
	s := openAt(t, t.TempDir(), Options{})
	tape(t, s, entry(1, noon), 50)
	b, err := s.Create(entry(2, noon))
	must(t, err)
	must(t, b.WriteOpus(voice[0], 0))
	if e, _ := s.Get(entry(2, noon).ID); e.Packets != 1 {
		t.Errorf("on the air it is %+v", e)
	}
	b.mu.Lock() // as while it waits for the disk
	s.disk.Lock()
	defer s.disk.Unlock()
	defer b.mu.Unlock()
	if e, ok := s.Get(entry(2, noon).ID); !ok || e.Packets != 1 || e.Name != "Jane Doe" {
		t.Errorf("on the air it is %+v", e)
	}
	if e, ok := s.Get(entry(1, noon).ID); !ok || e.Packets != 50 {
		t.Errorf("the finished one is %+v", e)
	}
	if page, _ := s.List(Query{Text: "jane"}); len(page) != 1 || s.State().OnAir != 1 {
		t.Errorf("the list is %+v", page)
	}
	play(t, s, entry(1, noon).ID)
}

func TestABurstWithoutVoiceLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir, Options{})
	tape(t, s, entry(1, noon), 0)
	b, err := s.Create(entry(2, noon))
	must(t, err)
	must(t, b.WriteOpus(voice[0], 0))
	must(t, b.Discard())
	if _, err := s.Create(Entry{ID: "../../etc/passwd"}); err == nil {
		t.Error("a path is taken for an id")
	}
	if page, _ := s.List(Query{}); len(page) != 0 || s.State().OnAir != 0 {
		t.Errorf("the list is %+v", page)
	}
	if names := tree(t, dir); len(names) != 2 {
		t.Errorf("the folder has %v", names)
	}
}

// tree lists the files and folders below a folder.
func tree(t testing.TB, dir string) (names []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if path != dir {
			names = append(names, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	}))
	return names
}

// TestALongBurstStopsBeforeTheDiskIsFull: somebody who keeps talking does not take the
// room that is to be kept free.
func TestALongBurstStopsBeforeTheDiskIsFull(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	must(t, err)
	defer s.Close()
	b, err := s.Create(entry(1, noon))
	must(t, err)
	for i := range 20 {
		must(t, b.WriteOpus(voice[i%len(voice)], 0))
	}
	s.o.KeepFree = 1 << 62
	b.asked = time.Time{}
	var disk *DiskError
	if err := b.WriteOpus(voice[0], 0); !errors.As(err, &disk) || !strings.Contains(disk.Reason, "nearly full") {
		t.Errorf("it goes on: %v", err)
	}
	if err := b.Done(entry(1, noon)); !errors.As(err, &disk) {
		t.Errorf("at the end: %v", err)
	}
	if e, ok := s.Get(entry(1, noon).ID); !ok || !e.Cut || e.Packets == 0 || e.Packets > 20 {
		t.Errorf("%+v", e)
	}
}
