package themes

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// reachesOut is a second opinion on a clean stylesheet. It shares nothing with the
// sanitiser, and knows only comments, strings and escapes: it looks at every string as
// if it were an address, and at the rest, without comments and escapes, for anything
// that could be an address or a way to load one. It returns what it finds.
func reachesOut(sheet string) string {
	var bare strings.Builder
	for i := 0; i < len(sheet); {
		switch c := sheet[i]; {
		case strings.HasPrefix(sheet[i:], "/*"):
			end := strings.Index(sheet[i+2:], "*/")
			if end < 0 {
				return "an open comment"
			}
			if m := inComment.FindString(strings.ToLower(sheet[i : i+2+end])); m != "" {
				return m
			}
			i += end + 4
		case c == '"' || c == '\'':
			text, size := quoted(sheet[i:])
			if size == 0 {
				return "an open string"
			}
			before := strings.ToLower(strings.TrimSpace(bare.String()))
			inURL := strings.HasSuffix(before, "url(")
			if why := foreign(text, inURL); why != "" {
				return why
			}
			bare.WriteString(`""`)
			i += size
		case c == '\\' && i+1 < len(sheet):
			r, size := escaped(sheet[i:])
			if !openURL.MatchString(bare.String()) {
				r = sign.ReplaceAllString(r, "·") // an escaped sign is a letter, except in an address
			}
			bare.WriteString(r)
			i += size
		default:
			bare.WriteByte(c)
			i++
		}
	}
	flat := strings.ToLower(bare.String())
	for _, m := range bareURL.FindAllStringSubmatch(flat, -1) {
		if inner := strings.TrimSpace(m[1]); inner != `""` {
			if why := foreign(inner, true); why != "" {
				return why
			}
		}
	}
	flat = bareURL.ReplaceAllString(flat, "u()")
	for _, m := range bareSet.FindAllString(flat, -1) {
		if found := inSet.FindString(m); found != "" {
			return "image-set with " + found
		}
	}
	for _, r := range suspects {
		if m := r.FindString(flat); m != "" {
			return fmt.Sprintf("%q", m)
		}
	}
	return ""
}

var (
	inComment = regexp.MustCompile(`</style|sourcemappingurl|^/\*\s*[#@]`)
	bareURL   = regexp.MustCompile(`url\(([^)]*)\)`)
	bareSet   = regexp.MustCompile(`image-set\([^;{}]*`)
	openURL   = regexp.MustCompile(`(?i)url\([^)]*$`)
	sign      = regexp.MustCompile(`[^a-zA-Z0-9_-]`)
	inSet     = regexp.MustCompile(`(?:var|attr|env)\(`)
	schemes   = `(?:https?|wss?|ftp|file|blob|filesystem|javascript|vbscript)`
	suspects  = []*regexp.Regexp{
		regexp.MustCompile(`url\(`),
		regexp.MustCompile(`(?:^|[^a-z0-9_#.:@·-])` + schemes + `:`),
		regexp.MustCompile(`//`),
		regexp.MustCompile(`@(?:import|namespace|charset|document|page|view-transition|font-feature-values|counter-style)`),
		regexp.MustCompile(`(?:^|[^a-z0-9_-])(?:src|image|cross-fade|-webkit-cross-fade|element|-moz-element|paint|expression|-webkit-canvas)\(`),
		regexp.MustCompile(`attr\((?:[^)]*[^a-z0-9_)-])?url(?:[^a-z0-9_-]|$)`),
		regexp.MustCompile(`(?:^|[^a-z0-9_-])(?:behavior|-moz-binding)\s*:`),
		regexp.MustCompile(`</style|<!--`),
	}
	away  = regexp.MustCompile(`^(?i)` + schemes + `:|^//+[^/\s]`)
	inert = regexp.MustCompile(`^(?i)data: *(?:image|font)/[^,#]*,[^#]*$`)
	local = regexp.MustCompile(`^(?i)[a-z0-9._%/+@-]*(?:[?#].*)?$`)
)

// foreign tells why a text, as an address, leads out of the theme. Not every text is
// one: only if loaded, it must be a file that there is.
func foreign(text string, loaded bool) string {
	text = strings.Trim(text, "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f ")
	text = strings.NewReplacer("\t", "", "\n", "", "\r", "", `\`, "/").Replace(text)
	switch {
	case away.MatchString(text):
		return fmt.Sprintf("the address %q", text)
	case !loaded || inert.MatchString(text) || strings.HasPrefix(text, "#"):
		return ""
	case !local.MatchString(text) || strings.HasPrefix(text, "/"):
		return fmt.Sprintf("the strange address %q", text)
	}
	file := strings.FieldsFunc(text, func(r rune) bool { return r == '?' || r == '#' })[0]
	if !strings.Contains(file, "%") && !strings.Contains(file, "./") &&
		!slices.ContainsFunc(assets, func(a string) bool { return strings.EqualFold(a, file) }) {
		return fmt.Sprintf("the missing file %q", file)
	}
	return ""
}

// quoted is the text of the string that begins here, and its size with its quotation
// marks; 0: it does not end.
func quoted(sheet string) (text string, size int) {
	var b strings.Builder
	for i := 1; i < len(sheet); {
		switch {
		case sheet[i] == sheet[0]:
			return b.String(), i + 1
		case sheet[i] == '\n':
			return "", 0
		case sheet[i] == '\\' && i+1 < len(sheet):
			r, n := escaped(sheet[i:])
			b.WriteString(r)
			i += n
		default:
			b.WriteByte(sheet[i])
			i++
		}
	}
	return "", 0
}

var hexEscape = regexp.MustCompile(`^\\([0-9a-fA-F]{1,6})[ \n\t]?`)

// escaped is what the escape that begins here means, and its size.
func escaped(sheet string) (text string, size int) {
	if m := hexEscape.FindStringSubmatch(sheet); m != nil {
		n, _ := strconv.ParseInt(m[1], 16, 32)
		return string(rune(n)), len(m[0])
	}
	if sheet[1] == '\n' {
		return "", 2
	}
	return sheet[1:2], 2
}
