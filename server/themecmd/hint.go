package themecmd

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"squelch/server/nearest"
	"squelch/themes"
	"squelch/themes/table"
)

// hint is about a name in a style sheet that the console does not know: most of the
// time, a misspelling.
type hint struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // 0: not known, because something before it was removed
	Name string `json:"name"`
	// Near is the name that was probably meant, "": none is like it.
	Near string `json:"near,omitempty"`
}

func (h hint) String() string {
	where := h.File
	if h.Line > 0 {
		where += fmt.Sprintf(":%d", h.Line)
	}
	s := fmt.Sprintf("%s  the console has no %s", where, h.Name)
	if h.Near != "" {
		s += fmt.Sprintf("; did you mean %s?", h.Near)
	}
	return s
}

var (
	comment  = regexp.MustCompile(`(?s)/\*.*?(?:\*/|$)`)
	variable = regexp.MustCompile(`--sq-[\w-]+`)
	part     = regexp.MustCompile(`\[\s*(data-part)\s*=\s*["']?([\w-]+)`)
	state    = regexp.MustCompile(`\[\s*(data-state)\s*=\s*["']?([\w-]+)`)
)

// hintsOf looks for names that the console does not have.
func hintsOf(p *themes.Package) []hint {
	variables, parts, states := known()
	all := []hint{}
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		if path.Ext(name) != ".css" {
			continue
		}
		sheet := comment.ReplaceAllFunc(p.Files[name], func(c []byte) []byte { return bytes.Repeat([]byte("\n"), bytes.Count(c, []byte("\n"))) })
		whole := !slices.ContainsFunc(p.Removed, func(r themes.Removal) bool { return r.File == name })
		seen := map[string]bool{}
		add := func(at int, named, word string, names []string, show func(string) string) {
			if slices.Contains(names, word) || seen[named] {
				return
			}
			seen[named] = true
			h := hint{File: name, Name: named}
			if whole {
				h.Line = 1 + bytes.Count(sheet[:at], []byte("\n"))
			}
			if near := nearest.Name(word, names); near != "" {
				h.Near = show(near)
			}
			all = append(all, h)
		}
		for _, m := range variable.FindAllIndex(sheet, -1) {
			word := string(sheet[m[0]:m[1]])
			add(m[0], word, word, variables, func(n string) string { return n })
		}
		for form, names := range map[*regexp.Regexp][]string{part: parts, state: states} {
			for _, m := range form.FindAllSubmatchIndex(sheet, -1) {
				attribute, word := string(sheet[m[2]:m[3]]), string(sheet[m[4]:m[5]])
				show := func(n string) string { return fmt.Sprintf("[%s=%q]", attribute, n) }
				add(m[0], show(word), word, names, show)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b hint) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		return a.Line - b.Line
	})
	return all
}

// known are the names that stylesheets may use.
func known() (variables, parts, states []string) {
	for _, g := range table.Variables {
		for _, v := range g.Variables {
			variables = append(variables, "--sq-"+v.Name)
		}
	}
	for _, p := range table.Parts {
		parts = append(parts, p.Name)
	}
	for _, a := range table.Attributes {
		if a.Name == "data-state" {
			states = append(states, a.Values...)
		}
	}
	return variables, parts, states
}
