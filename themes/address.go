package themes

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

// addressOf is what a url() token names.
func addressOf(token string) (string, bool) {
	inner, ok := strings.CutSuffix(token[len("url("):], ")")
	if !ok {
		return "", false
	}
	inner = trimSpace(inner)
	if inner != "" && (inner[0] == '"' || inner[0] == '\'') {
		return decode(inner[1:max(1, len(inner)-1)]), closed(inner)
	}
	return decode(inner), true
}

// trimSpace takes away white space, but not the one that ends an escape: it is part
// of the escape, and a browser takes one only.
func trimSpace(text string) string {
	text = strings.TrimLeft(text, " \t\n")
	end := strings.TrimRight(text, " \t\n")
	return text[:min(len(text), len(end)+min(1, strings.Count(end, `\`)))]
}

// resolved does what a browser does with an address before it looks at it (URL
// Standard, 4.4): spaces and controls around it go, tabs and line ends vanish, and "\"
// is "/".
func resolved(address string) string {
	address = strings.TrimFunc(address, func(r rune) bool { return r <= ' ' })
	return strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(address)
}

var (
	schemeForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	dataForm   = regexp.MustCompile(`^(?i)data:[ ]*(image|font)/[a-z0-9.+-]+[ ]*(;[^,]*)?,`)
	// outsideForm is what leads out of the page as the address of anything, and what runs.
	outsideForm = regexp.MustCompile(`^(?i)(https?|wss?|ftp|file|blob|filesystem|javascript|vbscript):`)
)

// outside tells whether a string, taken for an address, leads out of the page.
func outside(address string) bool {
	address = resolved(address)
	host := strings.TrimLeft(address, "/")
	return outsideForm.MatchString(address) || len(address)-len(host) >= 2 && host != "" && host[0] != ' '
}

// badURL is what is wrong with an address in a stylesheet.
func (s *sanitiser) badURL(address string) string {
	address = resolved(address)
	switch {
	case address == "":
		return "has an empty url()"
	case address[0] == '#':
		return ""
	case strings.HasPrefix(address, "//"):
		return "loads " + shown(address) + ", which is outside the theme"
	case address[0] == '/':
		return "loads " + shown(address) + ", which is outside the theme's folder; write the path from the stylesheet's folder"
	case dataForm.MatchString(address):
		if strings.Contains(address, "#") {
			return `has a data: URL with "#" in it; write %23 in its place`
		}
		return ""
	case len(address) > 5 && strings.EqualFold(address[:5], "data:"):
		return "has a data: URL that is neither an image nor a font"
	case schemeForm.MatchString(address):
		return "loads " + shown(address) + ", which is outside the theme"
	}
	raw := address[:min(len(address), indexAny(address, "?#"))]
	file, err := url.PathUnescape(raw)
	clean := path.Clean(file)
	strange := func(r rune) bool { return r != '/' && !nameLetter(r) }
	if err != nil || strings.ContainsFunc(file, strange) || strings.Count(file, "/") != strings.Count(raw, "/") ||
		strings.Contains(file, "//") || strings.HasSuffix(file, "/") || path.Base(file) != path.Base(clean) || !s.has(clean) {
		return "loads " + shown(address) + ", which is no file of the theme" + s.suggest(func() string { return s.near(clean) })
	}
	return ""
}

func indexAny(text, signs string) int {
	if i := strings.IndexAny(text, signs); i >= 0 {
		return i
	}
	return len(text)
}
