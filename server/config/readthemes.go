package config

import (
	"net/url"
	"regexp"
	"strings"
)

// Themes is what the file says about themes.
type Themes struct {
	Default string // slug of the theme of those who have chosen none; "": none
	Market  string // https URL of a marketplace's index; "": none
}

// slug is how a theme may be called.
var slug = regexp.MustCompile(`^[a-z0-9_-]{1,40}$`)

func (r *reader) themes(v value, t *Themes) {
	if v.table() {
		v.known("default", "marketplace")
	}
	name := v.get("default")
	if t.Default = strings.TrimSpace(name.text("")); t.Default != "" && !slug.MatchString(t.Default) {
		name.wrong("the slug of a theme, such as night-shift (a-z, 0-9, - and _, at most 40 of them)")
	}
	t.Market = v.get("marketplace").index()
}

// index reads the address of a marketplace's index; "" if there is none.
func (v value) index() string {
	s := strings.TrimSpace(v.text(""))
	if s == "" {
		return ""
	}
	u, err := url.Parse(s)
	switch {
	case err == nil && u.User != nil: // what it is must not get into a log
		v.r.fail(v.path, "must not have a user name or password in it: none is sent to a marketplace")
	case err != nil, u.Scheme != "https", u.Hostname() == "", u.Fragment != "", !strings.HasSuffix(u.Path, ".json"):
		v.wrong("an https URL of the index of a marketplace, such as https://themes.example.org/index.json")
	}
	return s
}
