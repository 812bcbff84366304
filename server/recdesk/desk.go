package recdesk

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/audit"
	"squelch/server/recordings"
	"squelch/server/reply"
	"squelch/server/timeline"
)

// Shelf has the recordings; *recordings.Shelf is one.
type Shelf interface {
	List(q recordings.Query) (page []recordings.Entry, next string)
	Match(q recordings.Query) []string
	Get(id string) (recordings.Entry, bool)
	Open(id, kind string) (*recordings.File, error)
	Delete(ctx context.Context, ids ...string) (n int, bytes int64, err error)
	State() recordings.State
}

// Timeline is what was said and done; *timeline.Timeline is one.
type Timeline interface {
	Page(ctx context.Context, q timeline.Query) (wire.TimelinePage, error)
}

// Auditor is what is needed of the audit log; *keeper.Audit is one.
type Auditor interface {
	// Note adds entries for what has already happened.
	Note(ctx context.Context, entries ...audit.Entry)
}

// Channel is a channel of the radio.
type Channel struct {
	Frequency core.Frequency
	Name      string
	Recorded  bool
}

// Options of New. Nothing is required.
type Options struct {
	Shelf    Shelf    // nil: there are no recordings
	Timeline Timeline // nil: incidents are exported without it
	// Channels are those of the radio now. It must not wait. Nil: there are none.
	Channels func() []Channel
	// On says whether the configuration switches the recorder on.
	On bool
	// Days is how long recordings are kept; 0: for ever.
	Days int
	// Problem says why nothing is recorded just now; "": all is well. Nil: it always is.
	Problem func() string
	// Peaks makes the waveform of a recording at once. Nil: nobody does.
	Peaks func(ctx context.Context, id string) ([]byte, error)
	// Transcripts is how the transcriber is. Nil: there is none.
	Transcripts func() *wire.TranscriberState
	Audit       Auditor                          // nil: nothing is audited
	Logf        func(format string, args ...any) // nil: dropped
	Now         func() time.Time                 // nil: time.Now
}

// Desk is the recordings of one radio, as callers see them.
type Desk struct {
	o       Options
	ops     map[string]operation
	noted   noted
	looks   reply.Places
	readers reply.Places
	mixes   reply.Places
	exports reply.Places
	deletes reply.Places

	patience time.Duration // with a reader that takes nothing
}

// New makes a desk.
func New(o Options) *Desk {
	if o.Channels == nil {
		o.Channels = func() []Channel { return nil }
	}
	if o.Problem == nil {
		o.Problem = func() string { return "" }
	}
	if o.Transcripts == nil {
		o.Transcripts = func() *wire.TranscriberState { return nil }
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &Desk{o: o, looks: make(reply.Places, maxLooks), readers: make(reply.Places, maxReaders), mixes: make(reply.Places, maxMixes),
		exports: make(reply.Places, maxExports), deletes: make(reply.Places, maxDeletes), patience: patience}
	d.ops = map[string]operation{
		"GET ":         d.list,
		"GET /{file}":  d.fetch,
		"GET /mix":     d.mix,
		"GET /export":  d.export,
		"POST /delete": d.remove,
		"GET /state":   d.state,
	}
	return d
}

// queries are the parameters of the routes that take no others. Those of a file may be
// any: programs add some, so that no cache answers.
var queries = func() map[string][]string {
	all := map[string][]string{}
	for _, route := range wire.Routes {
		if path, is := strings.CutPrefix(route.Path, "/api/recordings"); is && path != "/{file}" {
			all[route.Method+" "+path] = route.Parameters()
		}
	}
	return all
}()

// operation serves one route. It returns an error only if it has not answered.
type operation func(w http.ResponseWriter, r *http.Request, by core.Actor) error

// Serve does what a route of recordings asks for; name is the route's, without the path
// that all of them begin with: "GET /mix". The caller has checked the credentials and says
// who asks. Serve returns an error only if it has not answered.
func (d *Desk) Serve(name string, w http.ResponseWriter, r *http.Request, by core.Actor) error {
	serve := d.ops[name]
	if serve == nil {
		return errNoPath
	}
	if name != "GET /state" {
		if err := d.open(); err != nil {
			return err
		}
	}
	if takes, strict := queries[name]; strict {
		if err := reply.OnlyParameters(r.URL.Query(), takes...); err != nil {
			return err
		}
	}
	return serve(w, r, by)
}

// open refuses callers as long as there is nothing to serve: the recorder is off and there
// are no recordings of earlier, or their folder cannot be used.
func (d *Desk) open() error {
	switch {
	case d.o.Shelf == nil && d.o.On:
		return missing("", "There are no recordings: "+cmp.Or(d.o.Problem(), "their folder cannot be used"))
	case d.o.Shelf == nil:
		return errOff
	case d.o.On:
		return nil
	}
	if some, _ := d.o.Shelf.List(recordings.Query{Limit: 1}); len(some) == 0 {
		return errOff
	}
	return nil
}
