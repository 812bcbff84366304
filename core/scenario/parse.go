// Package scenario runs stories on a radio and writes down what happens. A line in
// radio language is a command, a pause or a question ("unit 12 keys", "dispatch -1
// patches 154.755 and 460.25", "2s pass", "routes"); the transcript has every fact
// in words, with its audience. A Watcher gives what a story does to other builds of
// the core, so that they can be compared.
package scenario

import (
	"strconv"
	"strings"
	"time"

	"squelch/core"
)

// Line is one line of a story: a command with its actor, or time that passes,
// or a question, or a change of the configuration.
type Line struct {
	By      core.Actor
	Command core.Command
	Pass    time.Duration
	Ask     []string // "routes", "status", …
	Edit    []string // a change of the configuration, by the admin page
	Refused error    // a word is not a frequency: what an adapter would answer
}

// verb is a sentence pattern and the command that it means. F stands for a frequency,
// U for a user, T for a text, N for a number and L for all words that are left.
type verb struct {
	pattern string
	command func(a *args) core.Command
}

// args are the words in the places of a pattern's letters.
type args struct {
	actor core.UserID
	words []string
	err   error
}

func (a *args) freq(i int) core.Frequency {
	f, err := core.ParseFrequency(a.words[i])
	if err != nil && a.words[i] != "none" {
		a.err = err
	}
	return f
}

func (a *args) user(i int) core.UserID { return core.UserID(number(a.words[i])) }

func (a *args) freqs(i int) []core.Frequency {
	var all []core.Frequency
	for _, w := range strings.Fields(a.words[i]) {
		if w == "and" {
			continue
		}
		f, err := core.ParseFrequency(w)
		if err != nil {
			a.err = err
		}
		all = append(all, f)
	}
	return all
}

// Parse reads one line; ok is false if it is not understood.
func Parse(text string) (line Line, ok bool) {
	w := words(text)
	if len(w) == 0 {
		return Line{}, false
	}
	if d, err := time.ParseDuration(w[0]); err == nil && len(w) == 2 && w[1] == "pass" {
		return Line{Pass: d}, true
	}
	switch w[0] {
	case "unit", "dispatch":
		if len(w) < 3 {
			return Line{}, false
		}
		id := core.UserID(number(w[1]))
		return command(core.Actor{User: id, Surface: core.BySocket}, id, w[2:])
	case "script":
		return command(core.Actor{Surface: core.ByLua, Name: "script"}, 0, w[1:])
	case "rest":
		return command(core.Actor{User: -1, Surface: core.ByREST}, -1, w[1:])
	case "game":
		return command(core.Actor{Surface: core.ByREST, Name: "game"}, 0, w[1:])
	case "service":
		return command(core.Actor{Surface: core.BySystem}, 0, w[1:])
	case "admin":
		return Line{By: core.Actor{Surface: core.ByAdmin}, Edit: w[1:]}, len(w) > 1
	}
	return Line{Ask: w}, true
}

func command(by core.Actor, actor core.UserID, w []string) (Line, bool) {
	for _, v := range verbs {
		if got, ok := match(strings.Fields(v.pattern), w); ok {
			a := &args{actor: actor, words: got}
			c := v.command(a)
			return Line{By: by, Command: c, Refused: a.err}, true
		}
	}
	return Line{}, false
}

func match(pattern, w []string) (got []string, ok bool) {
	for i, p := range pattern {
		switch {
		case p == "L":
			return append(got, strings.Join(w[i:], " ")), len(w) > i
		case i >= len(w):
			return nil, false
		case len(p) == 1 && strings.Contains("FUTN", p):
			got = append(got, w[i])
		case p != w[i]:
			return nil, false
		}
	}
	return got, len(w) == len(pattern)
}

// words splits a line at spaces. A text in double quotes is one word, in which Go's
// escapes (\n, \u202e) are read.
func words(text string) []string {
	var all []string
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		if rest, quoted := strings.CutPrefix(text, `"`); quoted {
			word, after, _ := strings.Cut(rest, `"`)
			if plain, err := strconv.Unquote(`"` + word + `"`); err == nil {
				word = plain
			}
			all, text = append(all, word), after
			continue
		}
		word, after, _ := strings.Cut(text, " ")
		all, text = append(all, word), after
	}
	return all
}
