package themedesk

import (
	"context"
	"net/http"
	"strings"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/address"
	"squelch/server/audit"
	"squelch/themes"
)

// asker is who changes something, for the audit log.
type asker struct {
	by   core.Actor
	from string // address
}

func askerOf(r *http.Request, by core.Actor) asker { return asker{by, address.Host(r.RemoteAddr)} }

// approval is what a caller says of the review that a person has seen.
type approval struct {
	js    string // the script's SHA-256; "": the theme has none
	build string // the theme's build; "": any with this script
}

// install puts a theme in. The library alone decides whether the approval is enough; the
// build is the caller's own safeguard beside it.
func (d *Desk) install(ctx context.Context, who asker, p *themes.Package, seen approval, from string) (wire.Theme, error) {
	if err := d.o.Storage(); err != nil {
		return wire.Theme{}, err
	}
	leave, err := d.reading(ctx) // the library checks and cleans it again
	if err != nil {
		return wire.Theme{}, err
	}
	defer leave()
	if seen.build != "" && !strings.EqualFold(seen.build, p.Build()) {
		return wire.Theme{}, errChanged
	}
	var was *themes.Installed
	var now themes.Installed
	err = d.change(func() (err error) {
		was = d.o.Library.Find(p.Manifest.Slug)
		now, err = d.o.Library.Install(p, seen.js, from)
		return err
	}, func(k *known) { k.themes[now.Slug] = now })
	if err != nil {
		return wire.Theme{}, refused(err)
	}
	d.done(who, "theme.install", now.Slug, installation(now, was))
	return now.Theme(), nil
}

func (d *Desk) remove(who asker, slug string) error {
	if err := d.o.Storage(); err != nil {
		return err
	}
	var was *themes.Installed
	err := d.change(func() error {
		was = d.o.Library.Find(slug)
		return d.o.Library.Remove(slug)
	}, func(k *known) {
		delete(k.themes, slug)
		if k.choice == slug {
			k.choice = d.o.Default
		}
	})
	if err != nil {
		return refused(err)
	}
	d.done(who, "theme.remove", slug, removal(was))
	return nil
}

func (d *Desk) setDefault(who asker, slug string) error {
	if err := d.o.Storage(); err != nil {
		return err
	}
	err := d.change(func() error { return d.o.Library.SetDefault(slug) }, func(k *known) { k.choice = slug })
	if err != nil {
		return refused(err)
	}
	d.done(who, "theme.default", slug, nil)
	return nil
}

// done audits what was done, and tells dispatchers of it.
func (d *Desk) done(who asker, action, slug string, detail map[string]any) {
	if detail == nil {
		detail = map[string]any{}
	}
	detail["address"] = who.from
	d.note([]audit.Entry{{Time: d.o.Now().UnixMilli(), Actor: audit.Actor{ID: int(who.by.User), Name: who.by.Name},
		Surface: audit.Surface(who.by.Surface), Action: action, Target: slug, Detail: detail}})
	d.look()
}

// note adds to the audit log.
func (d *Desk) note(entries []audit.Entry) {
	if d.o.Audit == nil || len(entries) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), noteTime)
	defer cancel()
	d.o.Audit.Note(ctx, entries...)
}

// reading takes one of the places for reading a theme.
func (d *Desk) reading(ctx context.Context) (leave func(), err error) {
	select {
	case d.readers <- struct{}{}:
		return func() { <-d.readers }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// read reads an uploaded theme.
func (d *Desk) read(ctx context.Context, zip []byte) (*themes.Package, error) {
	leave, err := d.reading(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := themes.ReadZip(zip)
	return p, refused(err)
}

// noteTime bounds an entry of the audit log, its way to the disk included.
const noteTime = 15 * time.Second
