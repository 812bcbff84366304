package voice

import (
	"context"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"squelch/core"
	"squelch/server/engine"
	"squelch/sfu"
)

// Options of Open. All but Logf are required.
type Options struct {
	Conn  *nats.Conn // mesh.Voice
	Radio string
	Node  string
	Media *sfu.SFU
	Logf  func(format string, args ...any) // nil: dropped
}

// Voice carries one radio's frames to and from the other nodes.
type Voice struct {
	o      Options
	id     uint64 // of this process and radio
	prefix string // of the subjects of frames
	tells  string // the subject of those who want all channels

	queue   chan *message
	waiting atomic.Int64 // bytes in queue
	memo    sync.Pool    // *message
	counts

	engine  atomic.Pointer[engine.Engine] // nil: it has not begun
	changed chan struct{}                 // holds one: somebody may hear something else
	all     atomic.Bool                   // this node wants all channels
	ctx     context.Context
	cancel  context.CancelFunc
	done    sync.WaitGroup
	once    sync.Once

	hearing *nats.Subscription // of tells

	mu     sync.Mutex // guards what follows
	on     map[core.Frequency]*nats.Subscription
	lost   uint64 // dropped for subscriptions that have ended
	wanted others
	over   bool
}

type counts struct {
	sent, sentBytes, queueFull, tooLong, failed, received, receivedBytes, malformed, own atomic.Uint64
}

// Stats counts the frames since the start.
type Stats struct {
	Sent, SentBytes uint64
	// Not sent:
	QueueFull uint64 // too many waited
	TooLong   uint64 // longer than maxFrame
	Failed    uint64 // the connection did not take it

	Received, ReceivedBytes uint64
	// Of these, not passed on to the media plane:
	Malformed uint64
	Own       uint64 // from this node

	Slow     uint64 // came and were dropped, because too many waited
	Channels int    // that this node receives now
	Far      sfu.FarStats
}

// Open joins the radio's media plane with those of the other nodes.
func Open(o Options) (*Voice, error) {
	if o.Conn == nil || o.Radio == "" || o.Node == "" || o.Media == nil {
		return nil, errors.New("cluster/voice: Conn, Radio, Node and Media are required")
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	v := &Voice{o: o, id: rand.Uint64(), prefix: "v." + token(o.Radio) + ".", tells: "a." + token(o.Radio),
		queue: make(chan *message, queueFrames), changed: make(chan struct{}, 1), on: map[core.Frequency]*nats.Subscription{}}
	v.memo.New = func() any { return new(message) }
	v.ctx, v.cancel = context.WithCancel(context.Background())
	var err error
	if v.hearing, err = o.Conn.Subscribe(v.tells, v.told); err != nil {
		v.cancel()
		return nil, err
	}
	v.tell(asks)
	o.Media.SetCascade(v)
	v.done.Go(v.send)
	v.done.Go(v.keep)
	return v, nil
}

// token is a radio's name as a part of a subject.
func token(radio string) string {
	return "_" + base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding).EncodeToString([]byte(radio))
}

// Follower is told when somebody may hear something else.
func (v *Voice) Follower() engine.Follower {
	return &engine.Queue[struct{}]{Name: "voice", Most: followSteps,
		Begin:   v.begin,
		Prepare: func(s *engine.Step) (struct{}, bool) { return struct{}{}, moves(s) },
		Deliver: func(context.Context, []struct{}) error { v.Attached(); return nil },
		Merge:   func(struct{}, struct{}) struct{} { return struct{}{} },
	}
}

// begin takes the engine of this node's replica.
func (v *Voice) begin(e *engine.Engine) {
	v.engine.Store(e)
	v.Attached()
}

// SetAll says whether this node wants the voice of all channels, because it records.
func (v *Voice) SetAll(yes bool) {
	if v.all.Swap(yes) != yes {
		v.tell(wants)
		v.Attached()
	}
}

// Stats reads the counts.
func (v *Voice) Stats() Stats {
	c := &v.counts
	s := Stats{Sent: c.sent.Load(), SentBytes: c.sentBytes.Load(), QueueFull: c.queueFull.Load(), TooLong: c.tooLong.Load(), Failed: c.failed.Load(),
		Received: c.received.Load(), ReceivedBytes: c.receivedBytes.Load(), Malformed: c.malformed.Load(), Own: c.own.Load(), Far: v.o.Media.Far()}
	v.mu.Lock()
	defer v.mu.Unlock()
	s.Slow, s.Channels = v.lost, len(v.on)
	for _, sub := range v.on {
		s.Slow += dropped(sub)
	}
	return s
}

// Close ends it. The media plane goes on alone.
func (v *Voice) Close() {
	v.once.Do(func() {
		v.o.Media.SetCascade(nil)
		v.o.Media.CarryAll(false)
		if v.all.Swap(false) {
			v.tell(wants)
		}
		v.cancel()
		v.done.Wait()
		_ = v.hearing.Unsubscribe()
		v.mu.Lock()
		defer v.mu.Unlock()
		v.over = true
		v.listen(nil)
	})
}

// subject is that of a channel.
func (v *Voice) subject(keyed core.Frequency) string {
	return v.prefix + strconv.FormatInt(int64(keyed), 10)
}

// id8 is how a message begins that is not a frame.
func (v *Voice) id8(b []byte) []byte { return binary.BigEndian.AppendUint64(b, v.id) }
