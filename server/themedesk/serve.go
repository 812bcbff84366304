package themedesk

import (
	"errors"
	"io"
	"net/http"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/reply"
	"squelch/themes"
)

// operation serves one route. It returns an error only if it has not answered.
type operation func(w http.ResponseWriter, r *http.Request, by core.Actor) error

func (d *Desk) operations() map[string]operation {
	return map[string]operation{
		"GET ":                 d.serveList,
		"POST /review":         d.serveReview,
		"POST /install":        d.serveInstall,
		"POST /remove":         d.serveRemove,
		"POST /default":        d.serveDefault,
		"GET /market":          d.serveMarket,
		"POST /market/review":  d.serveMarketReview,
		"POST /market/install": d.serveMarketInstall,
		"GET /market/picture":  d.servePicture,
	}
}

// Serve does what a route of themes asks for; name is the route's, without the path
// that all of them begin with: "POST /review". The caller has checked the credentials
// and says who asks. Serve returns an error only if it has not answered.
func (d *Desk) Serve(name string, w http.ResponseWriter, r *http.Request, by core.Actor) error {
	serve := d.ops[name]
	if serve == nil {
		return errNoPath
	}
	return serve(w, r, by)
}

func (d *Desk) serveList(w http.ResponseWriter, _ *http.Request, _ core.Actor) error {
	reply.JSON(w, http.StatusOK, d.List())
	return nil
}

func (d *Desk) serveReview(w http.ResponseWriter, r *http.Request, _ core.Actor) error {
	p, err := d.uploaded(w, r)
	if err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, d.review(p))
	return nil
}

func (d *Desk) serveInstall(w http.ResponseWriter, r *http.Request, by core.Actor) error {
	p, err := d.uploaded(w, r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	theme, err := d.install(r.Context(), askerOf(r, by), p, approval{js: q.Get("js"), build: q.Get("build")}, "upload")
	if err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, wire.ThemeInstalled{Success: true, Theme: theme})
	return nil
}

func (d *Desk) serveRemove(w http.ResponseWriter, r *http.Request, by core.Actor) error {
	var in wire.ThemeName
	err := form(w, r, &in)
	if err == nil {
		err = d.remove(askerOf(r, by), string(in.Slug))
	}
	return succeeded(w, err)
}

func (d *Desk) serveDefault(w http.ResponseWriter, r *http.Request, by core.Actor) error {
	var in wire.ThemeDefault
	err := form(w, r, &in)
	if err == nil {
		err = d.setDefault(askerOf(r, by), string(in.Slug))
	}
	return succeeded(w, err)
}

func (d *Desk) serveMarket(w http.ResponseWriter, r *http.Request, _ core.Actor) error {
	hold(w, indexTime)
	reply.JSON(w, http.StatusOK, d.offers(r.Context()))
	return nil
}

func (d *Desk) serveMarketReview(w http.ResponseWriter, r *http.Request, _ core.Actor) error {
	var in wire.ThemeName
	if err := form(w, r, &in); err != nil {
		return err
	}
	p, err := d.bought(w, r, string(in.Slug))
	if err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, d.review(p))
	return nil
}

func (d *Desk) serveMarketInstall(w http.ResponseWriter, r *http.Request, by core.Actor) error {
	var in wire.ThemeMarketInstall
	if err := form(w, r, &in); err != nil {
		return err
	}
	p, err := d.bought(w, r, string(in.Slug))
	if err != nil {
		return err
	}
	theme, err := d.install(r.Context(), askerOf(r, by), p, approval{js: string(in.JS), build: string(in.Build)}, "marketplace "+d.shop.from.index.Host)
	if err != nil {
		return err
	}
	reply.JSON(w, http.StatusOK, wire.ThemeInstalled{Success: true, Theme: theme})
	return nil
}

// servePicture passes a picture on, so that no browser of ours asks the marketplace. It
// is never more than a picture, also when it is opened by itself.
func (d *Desk) servePicture(w http.ResponseWriter, r *http.Request, _ core.Actor) error {
	if d.shop == nil {
		return errMarket
	}
	slug := r.URL.Query().Get("slug")
	if slug == "" {
		return &core.Error{Kind: core.Invalid, Field: "slug", Message: "slug is missing"}
	}
	hold(w, indexTime+pictureTime)
	data, kind, err := d.shop.picture(r.Context(), slug)
	if err != nil {
		return err
	}
	h := w.Header()
	reply.Private(h, kind)
	h.Set("Cache-Control", "private, max-age="+pictureSeconds)
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	_, _ = w.Write(data) // the browser may have gone
	return nil
}

// uploaded reads the theme in a request's body.
func (d *Desk) uploaded(w http.ResponseWriter, r *http.Request) (*themes.Package, error) {
	limit := int64(d.o.MaxZip)
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	select {
	case d.uploads <- struct{}{}:
		defer func() { <-d.uploads }()
	default:
		return nil, errBusy
	}
	hold(w, uploadTime)
	zip, err := body(w, r, limit)
	if err != nil {
		return nil, err
	}
	return d.read(r.Context(), zip)
}

// body reads a request's body of bounded size.
func body(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var large *http.MaxBytesError
	if err != nil && !errors.As(err, &large) {
		return nil, errShort
	}
	return data, err
}

// form reads a body that is a JSON object.
func form(w http.ResponseWriter, r *http.Request, into any) error {
	data, err := body(w, r, maxForm)
	if err != nil {
		return err
	}
	return wire.Decode(data, into)
}

func succeeded(w http.ResponseWriter, err error) error {
	if err == nil {
		reply.JSON(w, http.StatusOK, wire.Success{Success: true})
	}
	return err
}

// hold gives a request more time than net/http's own deadlines.
func hold(w http.ResponseWriter, long time.Duration) {
	c, until := http.NewResponseController(w), time.Now().Add(long)
	// Where a deadline cannot be moved, the server's own applies.
	_, _ = c.SetReadDeadline(until), c.SetWriteDeadline(until)
}
