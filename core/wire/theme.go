package wire

// Shapes of themes.
type (
	// Theme is an installed theme. Its files are /themes/<slug>/<build>/<file>; a build's
	// files never change.
	Theme struct {
		Slug        string `json:"slug"`
		Name        string `json:"name"`
		Version     string `json:"version"`
		Author      string `json:"author"`
		Description string `json:"description"`
		HasJS       bool   `json:"hasJs"`
		Build       string `json:"build"`
		CSS         string `json:"css"`               // file
		Picture     string `json:"picture,omitempty"` // file
		BuiltIn     bool   `json:"builtIn"`           // cannot be removed or replaced
	}
	// ThemeList is what is installed. DefaultTheme is the slug of the theme of those who
	// have chosen none, "": none.
	ThemeList struct {
		Themes       []Theme       `json:"themes"`
		DefaultTheme string        `json:"defaultTheme"`
		Broken       []BrokenTheme `json:"broken"`            // installed, but nobody gets them
		Market       bool          `json:"market"`            // the configuration names a marketplace
		Problem      string        `json:"problem,omitempty"` // why nothing can be installed
	}
	// BrokenTheme is one whose files were changed or are gone.
	BrokenTheme struct {
		Slug    string `json:"slug"`
		Name    string `json:"name"`
		Problem string `json:"problem"`
	}
)
