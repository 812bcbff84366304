package checkcmd

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"squelch/server/config"
)

// Migration is what --migrate prints with --json.
type Migration struct {
	File        string                 `json:"file"`
	Lines       []config.Line          `json:"lines"`       // of config.lua, in its order; then what it lacks
	Permissions []config.Line          `json:"permissions"` // of the permissions.cfg beside it
	Warnings    []string               `json:"warnings"`    // about the configuration as a whole
	Counts      map[config.Verdict]int `json:"counts"`      // lines and permissions by verdict
}

// verdicts in the order in which they are counted.
var verdicts = []config.Verdict{config.Taken, config.Changed, config.Ignored, config.Wrong, config.Missing}

// migration puts the account of a configuration, its mistakes and its warnings together.
func (r *report) migration(path string) *Migration {
	m := &Migration{File: path, Lines: []config.Line{}, Permissions: []config.Line{}, Warnings: []string{}, Counts: map[config.Verdict]int{}}
	wrong := map[string]bool{}
	for _, e := range r.errs {
		line := config.Line{Line: e.Line, Key: strings.TrimPrefix(e.Key, "Config."), Verdict: config.Wrong, Text: e.Msg}
		if wrong[line.Key] = true; strings.HasSuffix(e.File, "permissions.cfg") {
			m.Permissions = append(m.Permissions, line)
		} else {
			m.Lines = append(m.Lines, line)
		}
	}
	told := map[string]bool{}
	for _, l := range r.account.Config {
		for _, key := range []string{l.Key, "Config." + l.Key} {
			for _, file := range []string{path, r.file} {
				told[(&config.Error{File: file, Line: l.Line, Key: key, Msg: l.Text}).Error()] = true
			}
		}
		if !(l.Verdict == config.Taken && wrong[l.Key]) {
			m.Lines = append(m.Lines, l)
		}
	}
	for _, l := range r.account.Permissions {
		told[(&config.Error{File: "permissions.cfg", Line: l.Line, Msg: l.Text}).Error()] = true
		m.Permissions = append(m.Permissions, l)
	}
	for _, w := range r.warn {
		if !told[w] {
			m.Warnings = append(m.Warnings, w)
		}
	}
	inOrder(m.Lines)
	inOrder(m.Permissions)
	for _, l := range slices.Concat(m.Lines, m.Permissions) {
		m.Counts[l.Verdict]++
	}
	return m
}

// inOrder sorts by line; what is missing has none and comes last.
func inOrder(lines []config.Line) {
	slices.SortStableFunc(lines, func(a, b config.Line) int {
		if last := a.Verdict == config.Missing && a.Line == 0; last != (b.Verdict == config.Missing && b.Line == 0) {
			if last {
				return 1
			}
			return -1
		}
		return a.Line - b.Line
	})
}

// writeMigration prints what becomes of each line. The error counts what is wrong.
func (r *report) writeMigration(out io.Writer, path string, asJSON bool) error {
	m := r.migration(path)
	write := m.write
	if asJSON {
		write = m.writeJSON
	}
	if err := write(out); err != nil {
		return err
	}
	switch n := m.Counts[config.Wrong]; n {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s: 1 line is wrong: serve does not start with it", path)
	default:
		return fmt.Errorf("%s: %d lines are wrong: serve does not start with them", path, n)
	}
}

func (m *Migration) writeJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(m)
}

func (m *Migration) write(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(file string, l config.Line) {
		at := "-"
		if l.Line > 0 {
			at = fmt.Sprint(l.Line)
		}
		what := l.Key
		if what == "" {
			what = file
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", at, l.Verdict, printable(what), printable(l.Text))
	}
	fmt.Fprintln(t, "LINE\tVERDICT\tKEY\t")
	for _, l := range m.Lines {
		row("config.lua", l)
	}
	for _, l := range m.Permissions {
		row("permissions.cfg", l)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, warning := range m.Warnings {
		if _, err := fmt.Fprintln(w, "warning:", printable(warning)); err != nil {
			return err
		}
	}
	var counts []string
	for _, v := range verdicts {
		counts = append(counts, fmt.Sprintf("%s %d", v, m.Counts[v]))
	}
	_, err := fmt.Fprintln(w, strings.Join(counts, ", "))
	return err
}

// printable keeps what a file says from moving the columns or the terminal's cursor.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}
