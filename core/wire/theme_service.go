//go:build !wasm

package wire

import "squelch/core"

// Limits of themes on the wire.
const (
	// ThemeBytes is the largest zip of a theme, in bytes: 5 MiB of files that do not
	// pack, and room for the names of 200 entries.
	ThemeBytes = 5<<20 + 64<<10
	// ThemeZip is the media type of a theme.
	ThemeZip = "application/zip"
)

// Shapes of what one does with themes.
type (
	// ThemeReview is what a person must see before a theme is installed. An install has
	// to name Script.SHA256, and should name Theme.Build.
	ThemeReview struct {
		Success  bool           `json:"success"`
		Theme    Theme          `json:"theme"`
		Files    []ThemeFile    `json:"files"`
		Removed  []ThemeRemoval `json:"removed"`
		Script   *ThemeScript   `json:"script"`   // null: it has none
		Replaces *ThemeReplaced `json:"replaces"` // null: it is new here
		Warnings []string       `json:"warnings"` // what no fence stops, in whole sentences
	}
	ThemeFile struct {
		Name  string `json:"name"`
		Bytes int    `json:"bytes"`
	}
	// ThemeRemoval is a piece of style that is left out. Line and Column count from 1.
	ThemeRemoval struct {
		File   string `json:"file"`
		Line   int    `json:"line"`
		Column int    `json:"column"`
		What   string `json:"what"`
		Why    string `json:"why"`
	}
	ThemeScript struct {
		File   string      `json:"file"`
		Bytes  int         `json:"bytes"`
		SHA256 string      `json:"sha256"` // of exactly Source, hex
		Source string      `json:"source"`
		Hints  []ThemeHint `json:"hints"` // lines worth a second look
	}
	ThemeHint struct {
		Line int    `json:"line"` // counts from 1
		What string `json:"what"`
		Why  string `json:"why"`
	}
	// ThemeReplaced is the theme that has the slug now.
	ThemeReplaced struct {
		Name          string `json:"name"`
		Version       string `json:"version"`
		Author        string `json:"author"`
		BuiltIn       bool   `json:"builtIn"` // it cannot be replaced: the slug is taken
		Same          bool   `json:"same"`    // nothing would change
		ScriptChanged bool   `json:"scriptChanged"`
	}
	ThemeInstalled struct {
		Success bool  `json:"success"`
		Theme   Theme `json:"theme"`
	}
	ThemeName struct {
		Slug Text `json:"slug" wire:"required"`
	}
	// ThemeDefault sets the theme of those who have chosen none; "": none. The
	// configuration file's own choice is no choice: from then on the file counts again.
	ThemeDefault struct {
		Slug Text `json:"slug" wire:"required"`
	}
	// ThemeMarketInstall installs what the review of Slug showed.
	ThemeMarketInstall struct {
		Slug  Text `json:"slug" wire:"required"`
		JS    Text `json:"js,omitempty"`    // script.sha256 of the review
		Build Text `json:"build,omitempty"` // theme.build of the review
	}
	// ThemeMarket is what the marketplace offers. Error says why it cannot be read.
	ThemeMarket struct {
		Themes []MarketTheme `json:"themes"`
		Error  string        `json:"error,omitempty"`
	}
	MarketTheme struct {
		Slug        string  `json:"slug"`
		Name        string  `json:"name"`
		Author      string  `json:"author"`
		Description string  `json:"description"`
		Version     string  `json:"version"`
		HasJS       bool    `json:"hasJs"`
		Bytes       int     `json:"bytes"`     // of its zip
		Picture     bool    `json:"picture"`   // GET /admin/api/themes/market/picture?slug=… has one
		Installed   *string `json:"installed"` // the version that is installed; null: it is not
		Update      bool    `json:"update"`    // what is installed is not what is offered
	}
)

// ThemesChanged tells dispatchers what is installed; at is in ms since the epoch.
func ThemesChanged(l ThemeList, at int64) Message {
	return message(core.Audience{Dispatchers: true}, &sent.DispatchNotification, DispatchNotification{Type: "themes",
		Themes: list(l.Themes), DefaultTheme: &l.DefaultTheme, Timestamp: at})
}

// themeRoute is a route of themes: reading without a body, changing with one.
func themeRoute(method, path string, body, reply any, doc string, more ...int) Route {
	r := Route{Method: method, Path: "/api/themes" + path, Auth: Master, Scope: ScopeThemes, Body: body, Reply: reply, Status: 200,
		Errors: []int{401, 403, 429}, Extension: true, Doc: doc}
	if method == post {
		r.Errors = append([]int{400, 401, 403, 413, 429}, more...)
	}
	return r
}

// uploaded is a route whose body is a theme's zip.
func uploaded(r Route, query ...Parameter) Route {
	r.Upload, r.Large, r.Query = ThemeZip, ThemeBytes, query
	return r
}

// themeRoutes are the routes of themes. The administration has the same ones.
var themeRoutes = []Route{
	themeRoute(get, "", nil, ThemeList{}, "Installed themes, and the default one"),
	uploaded(themeRoute(post, "/review", nil, ThemeReview{}, "What a person must see of a theme before it is installed; installs nothing")),
	uploaded(themeRoute(post, "/install", nil, ThemeInstalled{}, "Install a theme that a person has reviewed; 409: its script is not the one that js names", 409, 503),
		Parameter{"js", "string", "script.sha256 of the review; a theme without a script needs none"},
		Parameter{"build", "string", "theme.build of the review, to install only exactly what it showed"}),
	themeRoute(post, "/remove", ThemeName{}, Success{}, "Remove a theme", 404, 409, 503),
	themeRoute(post, "/default", ThemeDefault{}, Success{}, "Set the theme of those who have chosen none", 404, 503),
	themeRoute(get, "/market", nil, ThemeMarket{}, "What the marketplace of the configuration offers"),
	themeRoute(post, "/market/review", ThemeName{}, ThemeReview{}, "Like /api/themes/review, for a theme of the marketplace", 404, 502),
	themeRoute(post, "/market/install", ThemeMarketInstall{}, ThemeInstalled{}, "Like /api/themes/install, for a theme of the marketplace", 404, 409, 502, 503),
}
