package e2e

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tphakala/go-opus/opus"

	"squelch/core/wire"
	"squelch/server/ogg"
	"squelch/sfu/opus/packet"
)

// voices are 2 s of a voice that never repeats, as Opus packets of 20 ms with one frame
// each.
var voices = sync.OnceValue(func() [][]byte {
	encoder, err := opus.NewEncoder(opus.EncoderConfig{SampleRate: packet.Rate, Channels: 1, Bitrate: 24_000})
	if err != nil {
		panic(err)
	}
	var all [][]byte
	pcm, out := make([]int16, 960), make([]byte, 1500)
	for i := range 100 {
		for j := range pcm {
			at := float64(i*960+j) / packet.Rate
			pcm[j] = int16(8000 * math.Sin(2*math.Pi*(200+100*at)*at) * math.Sin(2*math.Pi*3*at))
		}
		n, err := encoder.Encode(pcm, out)
		if err != nil {
			panic(err)
		}
		all = append(all, bytes.Clone(out[:n]))
	}
	return all
})

// stamp says which packet it is.
type stamp struct{ talker, burst, seq uint32 }

const stampBytes = 12

// stamped is a packet of voice with a stamp in its padding, which decoders pass over (RFC
// 6716 section 3.2.5: code 3, one frame, so many bytes of padding).
func stamped(s stamp) []byte {
	voice := voices()[int(s.seq)%len(voices())]
	p := append([]byte{voice[0] | 3, 1<<6 | 1, stampBytes}, voice[1:]...)
	for _, n := range []uint32{s.talker, s.burst, s.seq} {
		p = binary.BigEndian.AppendUint32(p, n)
	}
	return p
}

func stampOf(p []byte) (s stamp, ok bool) {
	if len(p) < 3+stampBytes || p[0]&3 != 3 || p[1] != 1<<6|1 || p[2] != stampBytes {
		return stamp{}, false
	}
	at := p[len(p)-stampBytes:]
	return stamp{binary.BigEndian.Uint32(at), binary.BigEndian.Uint32(at[4:]), binary.BigEndian.Uint32(at[8:])}, true
}

// played is what is in an Ogg file: packets of voice, without what stands for gaps.
// Everything has to decode.
func played(file []byte) (voice [][]byte, pcm []int16, err error) {
	r, err := ogg.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil, nil, err
	}
	decoder, err := opus.NewDecoder(packet.Rate, 1)
	if err != nil {
		return nil, nil, err
	}
	room := make([]int16, packet.MaxSamples)
	for {
		p, err := r.Next()
		if errors.Is(err, io.EOF) {
			return voice, pcm, nil
		}
		if err != nil {
			return voice, pcm, err
		}
		if !ogg.IsGap(p) {
			voice = append(voice, bytes.Clone(p))
		}
		n, err := decoder.Decode(p, room)
		if err != nil {
			return voice, pcm, fmt.Errorf("packet %x: %w", p, err)
		}
		pcm = append(pcm, room[:n]...)
	}
}

// soundOf is what packets of voice sound like.
func soundOf(packets [][]byte) (pcm []int16, err error) {
	decoder, err := opus.NewDecoder(packet.Rate, 1)
	room := make([]int16, packet.MaxSamples)
	for _, p := range packets {
		n, wrong := decoder.Decode(p, room)
		if err = errors.Join(err, wrong); err != nil {
			return nil, err
		}
		pcm = append(pcm, room[:n]...)
	}
	return pcm, err
}

// run finds part in all, in one piece, and gives where; -1: it is not there.
func run(part, all [][]byte) int {
	for at := 0; at+len(part) <= len(all); at++ {
		if slices.EqualFunc(part, all[at:at+len(part)], bytes.Equal) {
			return at
		}
	}
	return -1
}

// recordings lists everything that was recorded, the newest first.
func (s *service) recordings(by session) (all []wire.Recording) {
	s.t.Helper()
	for before := ""; ; {
		var page wire.RecordingPage
		s.ask(http.MethodGet, "/api/recordings?limit=500"+before, nil, by, http.StatusOK, &page)
		all = append(all, page.Recordings...)
		if page.Next == nil {
			return all
		}
		before = "&before=" + url.QueryEscape(*page.Next)
	}
}

// timeline is everything that has happened since an entry, the newest first.
func (s *service) timeline(by session, after uint64) (all []wire.TimelineEntry) {
	s.t.Helper()
	for path := "/api/timeline?limit=500"; ; {
		var page wire.TimelinePage
		s.ask(http.MethodGet, path, nil, by, http.StatusOK, &page)
		for _, e := range page.Entries {
			if e.Seq <= after {
				return all
			}
			all = append(all, e)
		}
		if page.Next == nil {
			return all
		}
		path = fmt.Sprintf("/api/timeline?limit=500&before=%d", *page.Next)
	}
}

// tapes is the folder of the recordings.
func (s *service) tapes() string { return filepath.Join(s.data, "recordings") }

// tapeOf is the file of a recording.
func (s *service) tapeOf(r wire.Recording, ending string) string {
	id := r.ID
	return filepath.Join(s.tapes(), time.UnixMilli(r.StartedAt).UTC().Format("2006-01-02/15"), id+"."+ending)
}

// onTheShelf compares the list of all recordings with the files: each has its files, of
// the size that it says, and there is no other file.
func (s *service) onTheShelf(all []wire.Recording) {
	s.t.Helper()
	files := map[string]int64{}
	err := filepath.WalkDir(s.tapes(), func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".ogg", ".webm", ".imbe":
			info, err := e.Info()
			if err == nil {
				files[filepath.Base(path)] = info.Size()
			}
			return err
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	for _, r := range all {
		if r.EndedAt == nil {
			s.t.Errorf("%s is on the air", r.ID)
		}
		name := r.ID + "." + r.Recording.Format
		if size, there := files[name]; !there || size != r.Recording.Bytes || size == 0 {
			s.t.Errorf("%s: the list says %d bytes, the file has %d (%v)", name, r.Recording.Bytes, size, there)
		}
		delete(files, name)
		if r.Recording.IMBE && r.Recording.Format != "imbe" {
			if size, there := files[r.ID+".imbe"]; !there || size == 0 {
				s.t.Errorf("%s has no IMBE: %d bytes (%v)", r.ID, size, there)
			}
			delete(files, r.ID+".imbe")
		}
	}
	for name, size := range files {
		if !strings.HasPrefix(name, "index") {
			s.t.Errorf("%s, %d bytes, is in no list", name, size)
		}
	}
}

// fetch gets a file over REST.
func (s *service) fetch(path, token string) []byte {
	s.t.Helper()
	code, body := s.call(http.MethodGet, path, nil, session{AuthToken: token})
	if code != http.StatusOK {
		s.t.Fatalf("%s: %d %.300s", path, code, body)
	}
	return []byte(body)
}

// envelope is how loud a voice is, every 20 ms.
func envelope(pcm []int16) (out []float64) {
	for ; len(pcm) >= 960; pcm = pcm[960:] {
		var sum float64
		for _, s := range pcm[:960] {
			sum += float64(s) * float64(s)
		}
		out = append(out, math.Sqrt(sum/960))
	}
	return out
}

// alike is the best correlation of two envelopes when one is moved by up to ten frames.
func alike(a, b []float64) float64 {
	best := -1.0
	for shift := -10; shift <= 10; shift++ {
		x, y := a, b
		if shift > 0 {
			x = x[min(shift, len(x)):]
		} else {
			y = y[min(-shift, len(y)):]
		}
		best = max(best, correlation(x, y))
	}
	return best
}

func correlation(a, b []float64) float64 {
	n := min(len(a), len(b))
	if n < 2 {
		return 0
	}
	var ma, mb float64
	for i := range n {
		ma, mb = ma+a[i]/float64(n), mb+b[i]/float64(n)
	}
	var ab, aa, bb float64
	for i := range n {
		x, y := a[i]-ma, b[i]-mb
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

func TestAStampIsPadding(t *testing.T) {
	t.Parallel()
	plain, _ := opus.NewDecoder(packet.Rate, 1)
	marked, _ := opus.NewDecoder(packet.Rate, 1)
	a, b := make([]int16, packet.MaxSamples), make([]int16, packet.MaxSamples)
	for i, voice := range voices() {
		want := stamp{7, 1 << 20, uint32(i)}
		p := stamped(want)
		if got, ok := stampOf(p); !ok || got != want {
			t.Fatalf("%+v, %v", got, ok)
		}
		n, err := plain.Decode(voice, a)
		m, errMarked := marked.Decode(p, b)
		if err != nil || errMarked != nil || n != 960 || !slices.Equal(a[:n], b[:m]) || packet.Samples(p) != 960 {
			t.Fatalf("packet %d: %v, %v", i, err, errMarked)
		}
	}
}
