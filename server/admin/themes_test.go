package admin_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/internal/testtheme"
	"squelch/server/themedesk"
	"squelch/themes"
)

// themed is a station with themes and a marketplace.
func themed(t *testing.T) (*station, *testtheme.Site) {
	t.Helper()
	s := onAir(t)
	library, err := themes.Open(t.TempDir(), s.clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	market := testtheme.NewSite(t)
	s.themes, err = themedesk.New(themedesk.Options{Library: library, Market: market.Index(), Roots: market.Roots, Audit: noting{s.log, t}, Now: s.clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	return s, market
}

const themeScript = "theme.addClass('night')"

func TestAnAdministratorInstallsAThemeAfterItsReview(t *testing.T) {
	s, market := themed(t)
	b := s.logIn()
	zip := string(testtheme.New("night", "1.0", themeScript))
	var review wire.ThemeReview
	b.send("POST", "themes/review", zip).ok(&review)
	if review.Script == nil || review.Script.Source != themeScript || len(review.Warnings) == 0 {
		t.Fatalf("review %+v", review)
	}
	b.send("POST", "themes/install", zip).refused(409, "js", "has a script")
	b.send("POST", "themes/install?js="+testtheme.Sum("x"), zip).refused(409, "js", "another script")
	b.send("POST", "themes/install?js="+review.Script.SHA256, string(testtheme.New("night", "1.0", themeScript+" "))).refused(409, "js", "another script")
	b.send("POST", "themes/install?js="+review.Script.SHA256+"&build=0123456789abcdef", zip).refused(409, "build", "review it again")
	var in wire.ThemeInstalled
	b.send("POST", "themes/install?js="+review.Script.SHA256+"&build="+review.Theme.Build, zip).ok(&in)
	b.send("POST", "themes/default", wire.ThemeDefault{Slug: "night"}).ok(&wire.Success{})
	var list wire.ThemeList
	b.send("GET", "themes", nil).ok(&list)
	if !slices.Contains(list.Themes, in.Theme) || list.DefaultTheme != "night" || !list.Market {
		t.Errorf("list %+v", list)
	}

	// An update of the marketplace has another script: the old approval is not enough.
	market.Offer(t, testtheme.New("night", "1.1", themeScript+"\n"))
	var offers wire.ThemeMarket
	b.send("GET", "themes/market", nil).ok(&offers)
	if len(offers.Themes) != 1 || !offers.Themes[0].Update || *offers.Themes[0].Installed != "1.0" {
		t.Fatalf("offers %+v", offers)
	}
	if a := b.send("GET", "themes/market/picture?slug=night", nil); a.status != 200 || string(a.body) != testtheme.PNG || a.header.Get("Content-Type") != "image/png" {
		t.Errorf("picture %d %s", a.status, a.body)
	}
	b.send("GET", "themes/market/picture?slug=none", nil).refused(404, "slug", "no theme")
	b.send("POST", "themes/market/install", wire.ThemeMarketInstall{Slug: "night"}).refused(409, "js", "has a script")
	b.send("POST", "themes/market/install", wire.ThemeMarketInstall{Slug: "night", JS: wire.Text(review.Script.SHA256)}).refused(409, "js", "another script")
	var update wire.ThemeReview
	b.send("POST", "themes/market/review", wire.ThemeName{Slug: "night"}).ok(&update)
	b.send("POST", "themes/market/install", wire.ThemeMarketInstall{Slug: "night", JS: wire.Text(update.Script.SHA256), Build: wire.Text(update.Theme.Build)}).ok(&in)
	if in.Theme.Version != "1.1" {
		t.Errorf("installed %+v", in)
	}
	b.send("POST", "themes/remove", wire.ThemeName{Slug: "night"}).ok(&wire.Success{})
	b.send("POST", "themes/remove", wire.ThemeName{Slug: "night"}).refused(404, "slug", "night")
	want := []string{"admin.login", "theme.install", "theme.default", "theme.install", "theme.remove"}
	if got := s.actions(); !slices.Equal(got, want) {
		t.Errorf("audited %q, want %q", got, want)
	}
}

// TestThemesNeedAnAdministrator: no login, no token of the page or a page of another
// origin opens a route of themes, and a service without themes says so.
func TestThemesNeedAnAdministrator(t *testing.T) {
	s, _ := themed(t)
	b := s.logIn()
	stranger, forgetful, elsewhere := &browser{s: s}, &browser{s: s, cookie: b.cookie}, *b
	elsewhere.change = func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }
	zip := string(testtheme.New("night", "1.0", ""))
	tried := 0
	for _, r := range wire.AdminRoutes {
		path, theirs := strings.CutPrefix(r.Path, "/admin/api/themes")
		if !theirs {
			continue
		}
		tried++
		stranger.send(r.Method, "themes"+path, zip).refused(401, "", "Authentication required")
		if r.Method == http.MethodPost {
			forgetful.send(r.Method, "themes"+path, zip).refused(403, "", "X-CSRF-Token")
			elsewhere.send(r.Method, "themes"+path, zip).refused(403, "", "other origins")
		}
	}
	if tried != 9 {
		t.Errorf("%d routes", tried)
	}
	b.send("POST", "themes/review", strings.Repeat("x", wire.ThemeBytes+1)).refused(413, "", "larger than")
	b.send("POST", "themes/review", "x").refused(400, "", "zip")
	b.send("POST", "themes/default", `{"slug":[7]}`).refused(400, "slug", "slug must be a string")
	s.themes = broken{}
	b.send("GET", "themes", nil).refused(500, "", "Server error")
	s.themes = nil
	b.send("GET", "themes", nil).refused(404, "", "No such path")
}

// broken are themes that fail.
type broken struct{}

func (broken) Serve(string, http.ResponseWriter, *http.Request, core.Actor) error {
	return errors.New("the themes are on fire")
}

// TestRoutesOfThemesAreThoseOfREST: the administration has what an API key has, and the
// pictures.
func TestRoutesOfThemesAreThoseOfREST(t *testing.T) {
	shape := func(r wire.Route) string {
		b, err := json.Marshal([]any{r.Method, r.Upload, r.Large, r.Query, r.Body, r.Reply, r.Status, r.Errors})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	admin := map[string]string{}
	for _, r := range wire.AdminRoutes {
		admin[r.Method+" "+r.Path] = shape(r)
	}
	for _, r := range wire.Routes {
		if strings.HasPrefix(r.Path, "/api/themes") && admin[r.Method+" /admin"+r.Path] != shape(r) {
			t.Errorf("%s %s is another one at /admin: %s", r.Method, r.Path, admin[r.Method+" /admin"+r.Path])
		}
	}
}
