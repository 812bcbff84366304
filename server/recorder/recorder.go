package recorder

import (
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/server/engine"
	"squelch/server/recordings"
	"squelch/sfu"
)

// Options of Start.
type Options struct {
	Shelf *recordings.Shelf // stays open when the recorder ends
	// Recorded says which channels are recorded; it is asked again when the radio has
	// another configuration.
	Recorded func(*core.Config) map[core.Frequency]bool
	// Problem is told why nothing is recorded, and "" when it is well again. It must not
	// block for long.
	Problem func(reason string)
	// Failed: Problem was told last, before the start, that nothing is recorded. So it is
	// also told if all is well from the start.
	Failed bool
	// Finished is told of each recording that is on the shelf now. It must not block; nil:
	// nobody is.
	Finished func(recordings.Entry)
	Logf     func(format string, args ...any) // for operators; nil: nowhere
	Now      func() time.Time                 // nil: the clock

	shelf shelf // tests: another shelf
}

// shelf is what the recorder needs of a recordings.Shelf.
type shelf interface {
	Create(recordings.Entry) (burst, error)
	Probe(again bool) error
	Get(id string) (recordings.Entry, bool)
	Open(id, kind string) (*recordings.File, error)
	SetPeaks(id string, peaks []byte) error
}

// burst is what the recorder needs of a recordings.Burst.
type burst interface {
	WriteOpus(packet []byte, pause uint64) error
	WriteIMBE(frames []byte) error
	WriteWebM(payload []byte) error
	Done(recordings.Entry) error
}

// shelved is a real shelf.
type shelved struct{ *recordings.Shelf }

func (s shelved) Create(e recordings.Entry) (burst, error) {
	b, err := s.Shelf.Create(e)
	if err != nil {
		return nil, err
	}
	return b, nil
}

// Recorder is the recorder of one radio.
type Recorder struct {
	o         Options
	shelf     shelf
	recorded  atomic.Pointer[channels]
	waiting   atomic.Int64 // memory of tapes, in bytes
	elsewhere atomic.Bool  // another service records
	pool      sync.Pool    // *[]byte of tapeBytes
	wake      chan struct{}
	quit      chan struct{}
	once      sync.Once
	work      sync.WaitGroup
	trouble   trouble
	peaks     peaks

	mu     sync.Mutex // control code and the writer, which works without it
	open   []*tape
	byTalk map[int]*tape

	w writer
}

// channels are those that are recorded with a configuration.
type channels struct {
	of *core.Config
	on map[core.Frequency]bool
}

// Start starts a recorder for a radio with this configuration. It has to be closed.
func Start(o Options, c *core.Config) *Recorder {
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.shelf == nil {
		o.shelf = shelved{o.Shelf}
	}
	r := &Recorder{o: o, shelf: o.shelf, wake: make(chan struct{}, 1), quit: make(chan struct{}), byTalk: map[int]*tape{}}
	r.trouble.tell, r.trouble.logf, r.trouble.told = o.Problem, o.Logf, o.Failed
	r.w.ask = true // the disk may be full from the start
	r.peaks.queue, r.peaks.atOnce = make(chan string, peaksQueue), make(chan struct{}, 1)
	r.configure(c)
	r.work.Go(r.write)
	r.work.Go(r.drawPeaks)
	return r
}

func (r *Recorder) configure(c *core.Config) { r.recorded.Store(&channels{c, r.o.Recorded(c)}) }

// Recorded says whether a channel is recorded.
func (r *Recorder) Recorded(f core.Frequency) bool { return r.recorded.Load().on[f] }

// Record says whether talks that begin from now on are recorded here: of several services
// that carry the same radio, one records.
func (r *Recorder) Record(yes bool) { r.elsewhere.Store(!yes) }

// Problem says why nothing is recorded; "": it is, if somebody talks. While nobody does,
// the disk is asked every minute.
func (r *Recorder) Problem() string { return r.trouble.reason() }

// Begin is called by the media plane when a talk begins.
func (r *Recorder) Begin(row core.Row) sfu.Tape {
	if r.elsewhere.Load() {
		return nil
	}
	if !r.Recorded(row.Keyed) && !r.Recorded(row.Control) {
		return nil
	}
	if r.waiting.Load() > maxWaiting { // the disk does not answer: memory must end
		return nil
	}
	row.Legs = nil
	t := &tape{r: r, row: row, taken: r.memory()}
	t.w.empty = r.memory()
	r.mu.Lock()
	r.open = append(r.open, t)
	r.byTalk[row.Talk] = t
	r.mu.Unlock()
	select {
	case r.wake <- struct{}{}:
	default:
	}
	return t
}

// Follower tells the recorder whose talks they are, and of another configuration. It is
// told after the media plane.
func (r *Recorder) Follower() engine.Follower {
	return &engine.Queue[struct{}]{Name: "recorder", Most: 1, Prepare: func(s *engine.Step) (struct{}, bool) {
		if c := s.View.Config(); c != r.recorded.Load().of {
			r.configure(c)
		}
		if len(s.Output.Transmissions) > 0 {
			r.note(s.Output.Transmissions)
		}
		return struct{}{}, false
	}}
}

func (r *Recorder) note(all []core.Transmission) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range all {
		if t := r.byTalk[x.Number]; t != nil && t.row.Since == x.StartedAt {
			t.about = x
		}
	}
}

// Close puts what is on the air on the shelf. The media plane is closed before.
func (r *Recorder) Close() {
	r.once.Do(func() { close(r.quit) })
	done := make(chan struct{})
	go func() { r.work.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(closeWait):
		r.o.Logf("recorder: the disk does not answer; what was on the air is put on the shelf at the next start")
	}
}
