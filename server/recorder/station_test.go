package recorder

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"squelch/core"
	"squelch/server/engine"
	"squelch/server/ogg"
	"squelch/server/recordings"
	"squelch/sfu"
	"squelch/sfu/opus/packet"
)

// The channels of the test radio. Fire is not recorded.
const (
	patrol   core.Frequency = 155_010_000
	fire     core.Frequency = 155_020_000
	digital1 core.Frequency = 460_250_000
	group    core.Frequency = 856_000_000
)

const frameTime = 20 * time.Millisecond

// station is the real core driving a media plane with a recorder, in a bubble in which
// time passes at once.
type station struct {
	t        *testing.T
	dir      string
	shelf    *recordings.Shelf
	disk     *disk
	recorder *Recorder
	sfu      *sfu.SFU

	mu       sync.Mutex
	state    *core.State
	problems []string
	finished []recordings.Entry
}

// onAir runs a story on a station whose recorder is closed at the end.
func onAir(t *testing.T, story func(*station)) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := &station{t: t, dir: dir}
		s.start()
		defer s.stop()
		story(s)
	})
}

func (s *station) start() {
	cfg := core.DefaultConfig()
	cfg.Zones = []core.Zone{{Name: "City", Channels: []core.Channel{
		{Name: "Patrol", Type: core.Conventional, Frequency: patrol},
		{Name: "Fire", Type: core.Conventional, Frequency: fire},
		{Name: "Digital", Type: core.Digital, Frequency: digital1},
		{Name: "Group", Type: core.Trunked, Frequency: group, Low: group + 12_500, High: group + 50_000},
	}}}
	var err error
	if s.state, err = core.New(cfg); err != nil {
		s.t.Fatal(err)
	}
	if s.shelf, err = recordings.Open(s.dir, recordings.Options{Logf: s.t.Logf}); err != nil {
		s.t.Fatal(err)
	}
	s.disk = &disk{shelved: shelved{s.shelf}}
	s.recorder = Start(Options{shelf: s.disk, Recorded: func(c *core.Config) map[core.Frequency]bool {
		on := map[core.Frequency]bool{}
		for _, ch := range c.Zones[0].Channels {
			on[ch.Frequency] = ch.Frequency != fire
		}
		return on
	}, Problem: func(reason string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.problems = append(s.problems, reason)
	}, Finished: func(e recordings.Entry) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.finished = append(s.finished, e)
	}, Logf: s.t.Logf}, s.state.View().Config())
	s.sfu = sfu.New(sfu.Options{Recorder: s.recorder})
}

// stop ends the service as it ends normally.
func (s *station) stop() {
	s.sfu.Close()
	s.recorder.Close()
	if err := s.shelf.Close(); err != nil {
		s.t.Error(err)
	}
}

func (s *station) do(commands ...core.Command) {
	s.t.Helper()
	for _, c := range commands {
		out, err := s.state.Step(time.Now(), core.Actor{Surface: core.BySystem}, c)
		if err != nil {
			s.t.Fatalf("%T%+v: %v", c, c, err)
		}
		if out.Routes != nil {
			s.sfu.SetRoutes(out.Routes)
		}
		s.recorder.Follower().(*engine.Queue[struct{}]).Prepare(&engine.Step{Output: out, View: s.state.View()})
	}
}

// dispatcher brings somebody onto the radio who talks by Socket.IO.
func (s *station) dispatcher(id core.UserID, f core.Frequency) *listener {
	s.t.Helper()
	s.do(core.Connect{Want: id, Owner: id.String(), Facts: core.Facts{Name: "Desk " + id.String()}}, core.JoinAsSpeaker{User: id, Frequency: f})
	l := &listener{}
	s.sfu.Attach(id, l)
	return l
}

// listener hears.
type listener struct {
	mu    sync.Mutex
	heard [][]byte
}

func (l *listener) Send(m *sfu.Message) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = append(l.heard, bytes.Clone(m.Bytes()))
}

func (l *listener) all() [][]byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard
}

// say sends frames, 20 ms apart.
func (s *station) say(id core.UserID, f core.Frequency, packets ...[]byte) {
	for _, p := range packets {
		s.sfu.Publish(&sfu.Frame{Talker: id, Keyed: f, Text: base64.StdEncoding.EncodeToString(p)})
		time.Sleep(frameTime)
	}
}

// words are Opus packets of 20 ms that can be told apart.
func words(burst, from, to int) (all [][]byte) {
	for n := from; n < to; n++ {
		all = append(all, binary.BigEndian.AppendUint32([]byte{31 << 3, byte(burst)}, uint32(n)))
	}
	return all
}

// settled waits until what has ended is on the shelf.
func (s *station) settled() { time.Sleep(time.Second); synctest.Wait() }

// list is what is on the shelf, the oldest first.
func (s *station) list() (all []recordings.Entry) {
	page, _ := s.shelf.List(recordings.Query{})
	for i := range page {
		all = append(all, page[len(page)-1-i])
	}
	return all
}

// the one recording that is on the shelf.
func (s *station) one() recordings.Entry {
	s.t.Helper()
	all := s.list()
	if len(all) != 1 {
		s.t.Fatalf("%d recordings: %+v", len(all), all)
	}
	return all[0]
}

func (s *station) bytes(id, kind string) []byte {
	s.t.Helper()
	f, err := s.shelf.Open(id, kind)
	if err != nil {
		s.t.Fatalf("%s.%s: %v", id, kind, err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// voice reads a recording: its packets without gaps, and when each begins, in frames.
func (s *station) voice(id string) (packets [][]byte, at []int) {
	s.t.Helper()
	in, err := ogg.NewReader(bytes.NewReader(s.bytes(id, recordings.Ogg)))
	if err != nil {
		s.t.Fatal(err)
	}
	for now := 0; ; {
		p, err := in.Next()
		if errors.Is(err, io.EOF) {
			return packets, at
		}
		if err != nil {
			s.t.Fatal(err)
		}
		if !ogg.IsGap(p) {
			packets, at = append(packets, bytes.Clone(p)), append(at, now/960)
		}
		now += packet.Samples(p)
	}
}

// disk is a shelf whose disk may fail or block.
type disk struct {
	shelved
	mu     sync.Mutex
	broken error
	block  chan struct{} // nil: it does not block
	probes int
	seems  bool // a probe does not notice that it is broken
}

func (d *disk) set(broken error, block chan struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.broken, d.block = broken, block
}

func (d *disk) use() error {
	d.mu.Lock()
	broken, block := d.broken, d.block
	d.mu.Unlock()
	if block != nil {
		<-block
	}
	return broken
}

func (d *disk) Create(e recordings.Entry) (burst, error) {
	if err := d.use(); err != nil {
		return nil, err
	}
	b, err := d.shelved.Create(e)
	return diskBurst{b, d}, err
}

func (d *disk) Probe(again bool) error {
	d.mu.Lock()
	d.probes++
	seems := d.seems
	d.mu.Unlock()
	if seems {
		return nil
	}
	return errors.Join(d.use(), d.shelved.Probe(again))
}

type diskBurst struct {
	burst
	d *disk
}

func (b diskBurst) WriteOpus(p []byte, pause uint64) error {
	if err := b.d.use(); err != nil {
		return err
	}
	return b.burst.WriteOpus(p, pause)
}
