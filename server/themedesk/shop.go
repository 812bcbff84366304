package themedesk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"
	"time"

	"squelch/core/wire"
	"squelch/server/reply"
	"squelch/themes"
)

// shop is a marketplace. Its index is fetched when somebody asks and the last one is not
// fresh any more.
type shop struct {
	from   *fetcher
	maxZip int64
	now    func() time.Time
	places chan struct{} // a place for each picture and zip that is fetched

	asking chan struct{} // one fetches the index at a time
	mu     sync.Mutex
	market *themes.Market // nil: err says why
	err    error
	until  time.Time // when to fetch it again
	// zip is the last zip that was fetched, by its SHA-256: an install follows a review.
	zip      []byte
	zipSum   string
	pictures map[string][]byte // by the name of their file
	size     int               // of all pictures, in bytes
}

func newShop(from *fetcher, maxZip int64, now func() time.Time) *shop {
	return &shop{from: from, maxZip: maxZip, now: now, places: make(chan struct{}, maxFetches), asking: make(chan struct{}, 1)}
}

// index is the marketplace's index. The error is for the caller.
func (s *shop) index(ctx context.Context) (*themes.Market, error) {
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	s.mu.Lock()
	market, err, old := s.market, s.err, !s.now().Before(s.until)
	s.mu.Unlock()
	if !old {
		return market, err
	}
	// Whoever waits for it too should not be told that the first caller has gone.
	data, err := s.from.get(context.WithoutCancel(ctx), "", themes.MaxMarket, indexTime)
	if err == nil {
		market, err = themes.ParseMarket(data)
	}
	keep := fresh
	if err != nil {
		market, err, keep = nil, badGateway(err), failed
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.market, s.err, s.until = market, err, s.now().Add(keep)
	s.pictures, s.size = map[string][]byte{}, 0
	return market, err
}

// offer is a theme of the marketplace.
func (s *shop) offer(ctx context.Context, slug string) (*themes.Offer, error) {
	market, err := s.index(ctx)
	if err != nil {
		return nil, err
	}
	if o := market.Find(slug); o != nil {
		return o, nil
	}
	return nil, &reply.Refusal{Status: http.StatusNotFound, Message: fmt.Sprintf("The marketplace has no theme %q", slug), Field: "slug"}
}

// fetch gets the zip of an offer, whose hash is the one in the index.
func (s *shop) fetch(ctx context.Context, o *themes.Offer) ([]byte, error) {
	if int64(o.Bytes) > s.maxZip {
		return nil, &reply.Refusal{Status: http.StatusBadGateway, Message: fmt.Sprintf("The marketplace: %s has %d bytes; the limit is %d (Config.limits.themeBytes)", o.Zip, o.Bytes, s.maxZip)}
	}
	s.mu.Lock()
	zip := s.zip
	if s.zipSum != o.SHA256 {
		zip = nil
	}
	s.mu.Unlock()
	if zip != nil {
		return zip, nil
	}
	leave, err := s.place(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	// A byte more would be another file in any case.
	if zip, err = s.from.get(ctx, o.Zip, int64(o.Bytes), zipTime); err != nil {
		return nil, badGateway(err)
	}
	sum := sha256.Sum256(zip)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.zip, s.zipSum = zip, hex.EncodeToString(sum[:])
	return zip, nil
}

// picture is the picture of a theme, and its type.
func (s *shop) picture(ctx context.Context, slug string) (data []byte, kind string, err error) {
	o, err := s.offer(ctx, slug)
	if err != nil {
		return nil, "", err
	}
	if o.Picture == "" {
		return nil, "", errPicture
	}
	s.mu.Lock()
	data = s.pictures[o.Picture]
	s.mu.Unlock()
	if data != nil {
		return data, pictureKind(data), nil
	}
	leave, err := s.place(ctx)
	if err != nil {
		return nil, "", err
	}
	defer leave()
	if data, err = s.from.get(ctx, o.Picture, pictureBytes, pictureTime); err != nil {
		return nil, "", badGateway(err)
	}
	if kind = pictureKind(data); kind == "" {
		return nil, "", badGateway(fmt.Errorf("%s is no picture: it must be PNG, JPEG, GIF, WebP or AVIF", o.Picture))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size+len(data) <= maxPictures && s.pictures[o.Picture] == nil {
		s.pictures[o.Picture] = data
		s.size += len(data)
	}
	return data, kind, nil
}

func (s *shop) place(ctx context.Context) (leave func(), err error) {
	select {
	case s.places <- struct{}{}:
		return func() { <-s.places }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// offers is what the marketplace has, beside what is installed.
func (d *Desk) offers(ctx context.Context) wire.ThemeMarket {
	out := wire.ThemeMarket{Themes: []wire.MarketTheme{}}
	err := error(errMarket)
	var market *themes.Market
	if d.shop != nil {
		market, err = d.shop.index(ctx)
	}
	if err != nil {
		out.Error = err.Error()
		return out
	}
	for _, o := range market.Themes {
		t := wire.MarketTheme{Slug: o.Slug, Name: o.Name, Author: o.Author, Description: o.Description, Version: o.Version, HasJS: o.HasJS,
			Bytes: o.Bytes, Picture: o.Picture != ""}
		if has := d.o.Library.Find(o.Slug); has != nil {
			t.Installed, t.Update = &has.Version, !has.BuiltIn && newer(o.Version, has.Version)
		}
		out.Themes = append(out.Themes, t)
	}
	return out
}

// bought fetches and reads a theme of the marketplace.
func (d *Desk) bought(w http.ResponseWriter, r *http.Request, slug string) (*themes.Package, error) {
	if d.shop == nil {
		return nil, errMarket
	}
	hold(w, indexTime+zipTime)
	o, err := d.shop.offer(r.Context(), slug)
	if err != nil {
		return nil, err
	}
	zip, err := d.shop.fetch(r.Context(), o)
	if err != nil {
		return nil, err
	}
	leave, err := d.reading(r.Context())
	if err != nil {
		return nil, err
	}
	defer leave()
	p, err := o.Read(zip)
	if err != nil {
		return nil, badGateway(err)
	}
	return p, nil
}
