// Package webhook tells receivers of the configuration what happens on the radio. The
// queue of a webhook is the timeline itself: a webhook has a place on it, which is
// durable, reads on from there, and passes an entry when its receiver has taken it. So a
// receiver that is down costs no memory, and nothing is lost when the service ends in
// whatever way; what was sent since the place was last stored is sent again, with the
// same id.
package webhook

import (
	"context"
	"crypto/x509"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/outbound"
)

// Timeline is what webhooks read.
type Timeline interface {
	// Read returns up to limit entries after a number, in order, also those that are not on
	// the disk yet. What limits it has of its own are above readBatch.
	Read(ctx context.Context, after uint64, limit int) ([]wire.TimelineEntry, error)
	// Changed returns a channel that is closed when the next entry is added.
	Changed() <-chan struct{}
	// Last is the number of the newest entry, Durable that of the newest on the disk: after
	// a crash, higher numbers are given again.
	Last() uint64
	Durable() uint64
}

// Bucket is a durable map; *store.Bucket is one.
type Bucket interface {
	All() map[string][]byte
	Change(ctx context.Context, put map[string][]byte, remove []string) error
}

// Options of New. Everything without a default is required.
type Options struct {
	Hooks    []config.Webhook
	Radio    string // its name, for receivers
	Timeline Timeline
	Places   Bucket // where each webhook is on the timeline
	Letters  Bucket // dead letters
	// Storage says why nothing can be stored; nil: it can.
	Storage func() error
	// Config is the radio's configuration as it is now, for the names of channels and the
	// channels of zones.
	Config func() *core.Config
	// Kept says whether a transmission's recording still exists: text of one that was deleted
	// is not sent any more. It must not wait for long. Nil: it does.
	Kept  func(transmission string) bool
	Logf  func(format string, args ...any)
	Now   func() time.Time                       // nil: time.Now
	After func(d time.Duration) <-chan time.Time // for pauses between attempts; nil: time.After
	Roots *x509.CertPool                         // nil: the machine's roots of trust
	Names *net.Resolver                          // nil: the system's
	// Owner names the service that sends, among those that share the timeline, while this one
	// does not: between Start and Close it does. Nil: nobody shares it.
	Owner func() string
}

// Desk has the webhooks of a radio.
type Desk struct {
	o     Options
	hooks []*hook
	quit  context.CancelFunc
	work  sync.WaitGroup
	stale chan struct{} // something is to be stored
	saver chan struct{} // closed when the saving goroutine has ended
	sick  bool          // a write failed, and has been reported; of the saving goroutine
	sends atomic.Bool   // between Start and Close
}

// New prepares the webhooks; Start begins. It fails if a template has a mistake, or an
// address is inside of a network without being named.
func New(o Options) (*Desk, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.After == nil {
		o.After = time.After
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Kept == nil {
		o.Kept = func(string) bool { return true }
	}
	if o.Storage == nil {
		o.Storage = func() error { return nil }
	}
	d := &Desk{o: o, quit: func() {}, stale: make(chan struct{}, 1), saver: make(chan struct{})}
	places, letters := o.Places.All(), o.Letters.All()
	for _, h := range o.Hooks {
		make, err := renderOf(h)
		if err == nil {
			err = addressed(h)
		}
		if err != nil {
			return nil, asMistake(h, err)
		}
		one := newHook(d, h, make)
		if err := one.restore(places[h.Name], letters); err != nil {
			return nil, err
		}
		d.hooks = append(d.hooks, one)
	}
	d.forget(places, letters)
	return d, nil
}

// asMistake gives an error its place in the configuration.
func asMistake(h config.Webhook, err error) *config.Error {
	if e, is := err.(*config.Error); is {
		return e
	}
	return h.Mistake("url", err.Error())
}

// addressed refuses an address that is written into the URL and that no connection may be
// made to.
func addressed(h config.Webhook) error {
	u, err := url.Parse(h.URL)
	if err != nil {
		return err
	}
	ip, err := netip.ParseAddr(u.Hostname())
	if err != nil { // a name: it is looked at when it is connected to
		return nil
	}
	if err := guardOf(h).Check(netip.AddrPortFrom(ip, 443).String()); err != nil {
		return fmt.Errorf("is %s, an address inside of a network; if that is meant, private = { %q } says so", ip, ip)
	}
	return nil
}

func guardOf(h config.Webhook) outbound.Guard {
	host := ""
	if u, err := url.Parse(h.URL); err == nil {
		host = u.Hostname()
	}
	return outbound.Guard{Host: host, Allowed: h.Private, Named: true, Only: h.InClear, Advice: "if that is meant, name it in private of the webhook"}
}

// forget removes what is kept of webhooks that the configuration does not have any more.
func (d *Desk) forget(places, letters map[string][]byte) {
	known := map[string]bool{}
	for _, h := range d.hooks {
		known[h.Name] = true
	}
	var noPlace, noLetter []string
	for name := range places {
		if !known[name] {
			noPlace = append(noPlace, name)
		}
	}
	for key := range letters {
		if name, _, _ := strings.Cut(key, "/"); !known[name] {
			noLetter = append(noLetter, key)
		}
	}
	if len(noPlace)+len(noLetter) == 0 || d.o.Storage() != nil {
		return
	}
	d.o.Logf("webhooks: %d that the configuration does not have any more are forgotten, with %d dead letters", len(noPlace), len(noLetter))
	ctx, cancel := context.WithTimeout(context.Background(), saveTime)
	defer cancel()
	err := d.o.Letters.Change(ctx, nil, noLetter)
	if err == nil {
		err = d.o.Places.Change(ctx, nil, noPlace)
	}
	if err != nil { // the next start tries again
		d.o.Logf("webhooks: they could not be forgotten: %v", err)
	}
}

// Start begins to send. After Close it may be called again, if another service has sent
// meanwhile.
func (d *Desk) Start() {
	if d.o.Owner != nil {
		d.reread()
	}
	d.sends.Store(true)
	ctx, quit := context.WithCancel(context.Background())
	d.quit = quit
	if len(d.hooks) == 0 {
		close(d.saver)
		return
	}
	d.store() // where new ones begin: a crash must not move that
	for _, h := range d.hooks {
		d.work.Go(func() { h.run(ctx) })
		d.work.Go(func() { h.runAside(ctx) })
	}
	after := d.o.Timeline.Last()
	d.work.Go(func() { d.watch(ctx, after) })
	go d.save(ctx)
}

// reread takes up where another service has ended.
func (d *Desk) reread() {
	d.saver = make(chan struct{})
	places, letters := d.o.Places.All(), d.o.Letters.All()
	for _, h := range d.hooks {
		h.mu.Lock()
		h.place, h.stored, h.letters, h.bytes, h.changed = place{}, nil, nil, 0, map[string]bool{}
		h.urgent, h.stopped, h.failures, h.retry = map[string]*urgent{}, false, 0, 0
		if err := h.restore(places[h.Name], letters); err != nil {
			d.o.Logf("%v", err)
		}
		h.mu.Unlock()
	}
}

// elsewhere is the refusal of what only the service that sends can do; nil: this one does.
func (d *Desk) elsewhere() error {
	if d.o.Owner == nil || d.sends.Load() {
		return nil
	}
	return &core.Error{Kind: core.Conflict, Message: fmt.Sprintf("Webhooks are sent by the node %s: do this there", d.o.Owner())}
}

// Close ends all attempts and stores how far they came. Without Start it does nothing. It is called
// while the store still takes something.
func (d *Desk) Close() {
	if !d.sends.Swap(false) {
		return
	}
	d.quit()
	d.work.Wait()
	<-d.saver
	for _, h := range d.hooks {
		h.post.client.CloseIdleConnections()
	}
}

// watch sends what concerns the service's health at once, whatever else waits.
func (d *Desk) watch(ctx context.Context, after uint64) {
	for {
		changed := d.o.Timeline.Changed()
		entries, err := d.o.Timeline.Read(ctx, after, readBatch)
		if err != nil {
			select {
			case <-time.After(readAgain):
				continue
			case <-ctx.Done():
				return
			}
		}
		for _, e := range entries {
			after = e.Seq
			if e.Kind != core.MomentHealth {
				continue
			}
			ev, _ := eventOf(e)
			for _, h := range d.hooks {
				if h.wants(ev, nil) {
					h.hurry(ctx, ev)
				}
			}
		}
		if len(entries) > 0 {
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// Transcribed tells webhooks of the text of a transmission. e is the transmission, with
// its transcript. It does not wait.
func (d *Desk) Transcribed(e wire.TimelineEntry) {
	ev := Event{ID: kindTranscript + "-" + e.ID, Kind: kindTranscript, Entry: e}
	ev.Entry.Kind = kindTranscript
	for _, h := range d.hooks {
		h.queue(ev)
	}
}

// pause is how long to wait after so many failures in a row.
func pause(failures int) time.Duration {
	d := retryMost
	if failures < 20 {
		d = min(retryMost, retryFirst<<max(failures-1, 0))
	}
	return time.Duration(float64(d) * (1 - jitter + 2*jitter*rand.Float64()))
}

// find looks a webhook up for the administration.
func (d *Desk) find(name string) (*hook, error) {
	for _, h := range d.hooks {
		if h.Name == name {
			return h, nil
		}
	}
	return nil, &core.Error{Kind: core.NotFound, Field: "hook", Message: "There is no webhook " + strconv.Quote(name)}
}
