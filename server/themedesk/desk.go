package themedesk

import (
	"context"
	"crypto/x509"
	"errors"
	"net/http"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core/wire"
	"squelch/server/audit"
	"squelch/themes"
)

// Auditor is what is needed of the audit log; *keeper.Audit is one.
type Auditor interface {
	// Note adds entries for what has already happened.
	Note(ctx context.Context, entries ...audit.Entry)
}

// Options of New. Library is required.
type Options struct {
	Library *themes.Library
	Default string         // what the configuration says the default is; "": nothing
	Market  string         // address of a marketplace's index; "": none
	Roots   *x509.CertPool // whom to trust for a marketplace; nil: whom the machine trusts
	// MaxZip is the largest zip, in bytes; 0: as large as a theme may be.
	MaxZip int
	Audit  Auditor // nil: nothing is audited
	// Storage refuses changes while nothing can be stored. Nil: it always can be.
	Storage func() error
	// Tell tells dispatchers. Nil: nobody listens.
	Tell func(wire.Message)
	Logf func(format string, args ...any) // nil: dropped
	Now  func() time.Time                 // nil: time.Now
}

// Desk is the themes of one radio.
type Desk struct {
	o       Options
	shop    *shop // nil: there is no marketplace
	ops     map[string]operation
	uploads chan struct{} // a place for each zip that arrives
	readers chan struct{} // a place for each theme that is read

	looking sync.Mutex // held from before a change of the desk until it is in known
	seen    uint64     // version of the library in list
	known   *known     // what is audited; nil: nothing is known yet
	list    atomic.Pointer[wire.ThemeList]
}

// New makes a desk.
func New(o Options) (*Desk, error) {
	if o.Library == nil {
		return nil, errors.New("themedesk: Library is required")
	}
	if o.Storage == nil {
		o.Storage = func() error { return nil }
	}
	if o.Tell == nil {
		o.Tell = func(wire.Message) {}
	}
	if o.Logf == nil {
		o.Logf = func(string, ...any) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.MaxZip <= 0 || o.MaxZip > themes.MaxZip {
		o.MaxZip = themes.MaxZip
	}
	d := &Desk{o: o, uploads: make(chan struct{}, maxUploads), readers: make(chan struct{}, maxReaders)}
	if o.Market != "" {
		from, err := newFetcher(o.Market, o.Roots)
		if err != nil {
			return nil, err
		}
		d.shop = newShop(from, int64(o.MaxZip), o.Now)
	}
	d.ops = d.operations()
	o.Library.SetFallback(o.Default)
	d.look()
	return d, nil
}

// List is what is installed. It may be called at any time, and does not wait for the
// disk.
func (d *Desk) List() wire.ThemeList { return *d.list.Load() }

// ServeHTTP serves the files of themes, /themes/….
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) { d.o.Library.ServeHTTP(w, r) }

// Watch notices what the command line changes, until quit is closed.
func (d *Desk) Watch(quit <-chan struct{}) {
	every := time.NewTicker(watchEvery)
	defer every.Stop()
	for {
		select {
		case <-every.C:
			d.look()
		case <-quit:
			if d.shop != nil {
				d.shop.from.close()
			}
			return
		}
	}
}

// look takes the list anew if the library has changed, tells dispatchers, and audits what
// others have changed.
func (d *Desk) look() {
	d.looking.Lock()
	notes := d.take()
	d.looking.Unlock()
	d.note(notes)
}

// take does what look does, but leaves the audit log to its caller, who holds looking.
func (d *Desk) take() (notes []audit.Entry) {
	version, was := d.o.Library.Version(), d.list.Load()
	if was != nil && version == d.seen {
		return nil
	}
	d.seen = version
	l := d.o.Library.Public()
	l.Market, l.Broken = d.shop != nil, []wire.BrokenTheme{}
	if err := d.o.Library.Trouble(); err != nil {
		l.Problem = err.Error()
	}
	for _, t := range d.o.Library.List() {
		if t.Broken != "" {
			l.Broken = append(l.Broken, wire.BrokenTheme{Slug: t.Slug, Name: t.Name, Problem: t.Broken})
		}
	}
	d.list.Store(&l)
	d.complain(was, &l)
	if was != nil && (l.DefaultTheme != was.DefaultTheme || !reflect.DeepEqual(l.Themes, was.Themes)) {
		d.o.Tell(wire.ThemesChanged(l, d.o.Now().UnixMilli()))
	}
	return d.foreign()
}

// complain tells the operator what has gone wrong since the list was was; nil: since ever.
func (d *Desk) complain(was, is *wire.ThemeList) {
	if was == nil {
		was = &wire.ThemeList{}
	}
	if is.Problem != "" && is.Problem != was.Problem {
		d.o.Logf("warning: themes: %s", is.Problem)
	}
	known := map[wire.BrokenTheme]bool{}
	for _, b := range was.Broken {
		known[b] = true
	}
	for _, b := range is.Broken {
		if !known[b] {
			d.o.Logf("warning: the theme %s is not served: %s", b.Slug, b.Problem)
		}
	}
}
