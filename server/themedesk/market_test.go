package themedesk_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"squelch/core/wire"
	"squelch/server/internal/testtheme"
	"squelch/server/themedesk"
	"squelch/themes"
)

func TestAThemeOfTheMarketplace(t *testing.T) {
	s := open(t, t.TempDir())
	day, night := testtheme.New("day", "2.0", ""), testtheme.New("night", "1.0", script)
	s.market.Offer(t, day, night)
	m := ok[wire.ThemeMarket](s.send("GET /market", "", nil))
	if len(m.Themes) != 2 || m.Error != "" {
		t.Fatalf("market %+v", m)
	}
	if o := m.Themes[1]; o.Slug != "night" || o.Name != "Theme night" || !o.HasJS || !o.Picture || o.Installed != nil || o.Update || o.Bytes == 0 {
		t.Errorf("offer %+v", o)
	}
	if !ok[wire.ThemeList](s.send("GET ", "", nil)).Market {
		t.Error("the list does not say that there is a marketplace")
	}
	review := ok[wire.ThemeReview](s.do("POST /market/review", wire.ThemeName{Slug: "night"}))
	if review.Script == nil || review.Script.Source != script {
		t.Fatalf("review %+v", review)
	}
	s.do("POST /market/install", wire.ThemeMarketInstall{Slug: "night"}).refused(409, "has a script")
	in := ok[wire.ThemeInstalled](s.do("POST /market/install", wire.ThemeMarketInstall{Slug: "night", JS: wire.Text(review.Script.SHA256), Build: wire.Text(review.Theme.Build)}))
	if in.Theme != review.Theme || s.notes[0].Detail["from"] != "marketplace "+strings.TrimPrefix(s.market.URL, "https://") {
		t.Errorf("installed %+v, %+v", in, s.notes)
	}
	if n := s.market.Asked("night-1.0.zip"); n != 1 {
		t.Errorf("a review and its installs fetch the zip %d times", n)
	}
	if n := s.market.Asked("index.json"); n != 1 {
		t.Errorf("the index is fetched %d times", n)
	}
	m = ok[wire.ThemeMarket](s.send("GET /market", "", nil))
	if o := m.Themes[1]; o.Installed == nil || *o.Installed != "1.0" || o.Update {
		t.Errorf("installed offer %+v", o)
	}

	// An update is shown, and nothing happens by itself.
	s.market.Offer(t, day, testtheme.New("night", "1.10", script+"// new\n"))
	s.pass(4 * time.Minute)
	if o := ok[wire.ThemeMarket](s.send("GET /market", "", nil)).Themes[1]; o.Version != "1.0" {
		t.Errorf("the index is fetched again after four minutes: %+v", o)
	}
	s.pass(time.Minute)
	if o := ok[wire.ThemeMarket](s.send("GET /market", "", nil)).Themes[1]; o.Version != "1.10" || *o.Installed != "1.0" || !o.Update {
		t.Errorf("offer %+v", o)
	}
	if got := s.library.Find("night").Version; got != "1.0" {
		t.Errorf("version %s is installed by itself", got)
	}
	update := ok[wire.ThemeReview](s.do("POST /market/review", wire.ThemeName{Slug: "night"}))
	if r := update.Replaces; r == nil || r.Version != "1.0" || !r.ScriptChanged {
		t.Errorf("replaces %+v", update.Replaces)
	}
	s.do("POST /market/install", wire.ThemeMarketInstall{Slug: "night", JS: wire.Text(review.Script.SHA256)}).refused(409, "another script")
}

// TestWhatAMarketplaceDoesWrong is named, with nothing installed.
func TestWhatAMarketplaceDoesWrong(t *testing.T) {
	night := testtheme.New("night", "1.0", "")
	with := func(change func(*themes.Offer)) func(*testing.T, *station) {
		return func(t *testing.T, s *station) {
			m := s.market.Offer(t, night)
			change(&m.Themes[0])
			data, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			s.market.Put("index.json", data)
		}
	}
	for name, c := range map[string]struct {
		prepare       func(*testing.T, *station)
		index, bought string
	}{
		"no index":       {func(*testing.T, *station) {}, "the answer is 404 Not Found, not 200", "404 Not Found"},
		"no JSON":        {func(_ *testing.T, s *station) { s.market.Put("index.json", []byte("<html>")) }, "is not valid", "is not valid"},
		"a large index":  {func(_ *testing.T, s *station) { s.market.Put("index.json", make([]byte, 1<<20+1)) }, "larger than 1048576 bytes", "larger than"},
		"another server": {with(func(o *themes.Offer) { o.Zip = "https://evil.example.org/night.zip" }), "zip is", "zip is"},
		"a folder above": {with(func(o *themes.Offer) { o.Zip = "../night.zip" }), "zip is", "zip is"},
		"no zip":         {with(func(o *themes.Offer) { o.Zip = "gone.zip" }), "", "/gone.zip: the answer is 404"},
		"another zip": {func(t *testing.T, s *station) {
			s.market.Offer(t, night)
			other := []byte(strings.Repeat("x", len(night)))
			s.market.Put("night-1.0.zip", other[:100])
		}, "", "is not the file that the marketplace's index promises"},
		"a longer zip": {func(t *testing.T, s *station) {
			m := s.market.Offer(t, night)
			s.market.Put("night-1.0.zip", make([]byte, m.Themes[0].Bytes+1))
		}, "", "it is larger than"},
		"another version": {with(func(o *themes.Offer) { o.Version = "2.0" }), "", "promises night 2.0"},
		"a hidden script": {func(t *testing.T, s *station) {
			m := s.market.Offer(t, testtheme.New("night", "1.0", script))
			m.Themes[0].HasJS = false
			data, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			s.market.Put("index.json", data)
		}, "", "(script: false)"},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, t.TempDir())
			c.prepare(t, s)
			m := ok[wire.ThemeMarket](s.send("GET /market", "", nil))
			if (m.Error == "") != (c.index == "") || !strings.Contains(m.Error, c.index) || m.Themes == nil {
				t.Errorf("market %+v, want %q", m, c.index)
			}
			s.do("POST /market/review", wire.ThemeName{Slug: "night"}).refused(502, c.bought)
			s.do("POST /market/install", wire.ThemeMarketInstall{Slug: "night"}).refused(502, c.bought)
			if s.library.Find("night") != nil {
				t.Error("it is installed")
			}
		})
	}
}

func TestAMarketplaceIsTriedAgainSoonAfterAnError(t *testing.T) {
	s := open(t, t.TempDir())
	for range 3 {
		if m := ok[wire.ThemeMarket](s.send("GET /market", "", nil)); m.Error == "" {
			t.Fatal("there is no index, and no error")
		}
	}
	if n := s.market.Asked("index.json"); n != 1 {
		t.Errorf("asked %d times at once", n)
	}
	s.market.Offer(t, testtheme.New("night", "1.0", ""))
	s.pass(10 * time.Second)
	if m := ok[wire.ThemeMarket](s.send("GET /market", "", nil)); m.Error != "" || len(m.Themes) != 1 {
		t.Errorf("market %+v", m)
	}
	s.do("POST /market/review", wire.ThemeName{Slug: "day"}).refused(404, `has no theme "day"`)
	s.do("POST /market/review", map[string]any{}).refused(400, "slug is missing")
	s.do("POST /market/install", map[string]any{"slug": true}).refused(400, "slug must be a string")
}

func TestWithoutAMarketplace(t *testing.T) {
	s := open(t, t.TempDir(), func(o *themedesk.Options) { o.Market = "" })
	if m := ok[wire.ThemeMarket](s.send("GET /market", "", nil)); !strings.Contains(m.Error, "Config.themes.marketplace") || len(m.Themes) != 0 {
		t.Errorf("market %+v", m)
	}
	s.do("POST /market/review", wire.ThemeName{Slug: "x"}).refused(404, "Config.themes.marketplace")
	s.do("POST /market/install", wire.ThemeMarketInstall{Slug: "x"}).refused(404, "Config.themes.marketplace")
	s.send("GET /market/picture", "slug=x", nil).refused(404, "Config.themes.marketplace")
	if s.List().Market {
		t.Error("there is a marketplace")
	}
}

// TestPicturesOfAMarketplace: what is passed on is a picture, and cannot be anything
// else in a browser.
func TestPicturesOfAMarketplace(t *testing.T) {
	s := open(t, t.TempDir())
	plain := testtheme.Files("plain", "1.0", "")
	delete(plain, "preview.png")
	s.market.Offer(t, testtheme.New("night", "1.0", ""), testtheme.New("svg", "1.0", ""), testtheme.New("large", "1.0", ""), testtheme.Zip(plain))
	s.market.Put("svg.png", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`))
	s.market.Put("large.png", append([]byte(testtheme.PNG), make([]byte, 512<<10)...))
	for range 2 {
		a := s.send("GET /market/picture", "slug=night", nil)
		if a.status != 200 || string(a.body) != testtheme.PNG {
			t.Fatalf("%d %q", a.status, a.body)
		}
		for name, want := range map[string]string{"Content-Type": "image/png", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox",
			"Cache-Control": "private, max-age=300", "Cross-Origin-Resource-Policy": "same-origin"} {
			if got := a.header.Get(name); got != want {
				t.Errorf("%s is %q, want %q", name, got, want)
			}
		}
	}
	if n := s.market.Asked("night.png"); n != 1 {
		t.Errorf("asked %d times", n)
	}
	s.send("GET /market/picture", "slug=svg", nil).refused(502, "is no picture")
	s.send("GET /market/picture", "slug=large", nil).refused(502, "larger than 524288 bytes")
	s.send("GET /market/picture", "slug=plain", nil).refused(404, "has no picture")
	s.send("GET /market/picture", "slug=none", nil).refused(404, "no theme")
	s.send("GET /market/picture", "", nil).refused(400, "slug is missing")
}
