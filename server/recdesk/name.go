package recdesk

import (
	"net/url"
	"strings"
	"time"
	"unicode"

	"squelch/core"
	"squelch/server/recordings"
)

// maxWord is the longest part of a file's name, in characters.
const maxWord = 40

// nameOfFile is what a recording's file is called when it is saved: when, where, who, and
// its id, so that two are never called the same.
func nameOfFile(e *recordings.Entry, names map[core.Frequency]string, kind string) string {
	who := e.Unit
	if who == "" {
		who = e.Name
	}
	return joined(moment(e.Start), e.Frequency.String(), nameOf(e, names), who, e.ID) + "." + kind
}

func moment(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T150405Z") }

// joined makes a name of words.
func joined(words ...string) string {
	var all []string
	for _, w := range words {
		if w = word(w); w != "" {
			all = append(all, w)
		}
	}
	return strings.Join(all, "_")
}

// word is a text without what file systems, shells or headers read as something else.
func word(text string) string {
	n := 0
	clean := strings.Map(func(c rune) rune {
		if n++; n > maxWord {
			return -1
		}
		switch {
		case c == '.', c == '-', c < 0x80 && (unicode.IsLetter(c) || unicode.IsDigit(c)), c >= 0x80 && (unicode.IsLetter(c) || unicode.IsDigit(c)):
			return c
		}
		return '-'
	}, strings.ToValidUTF8(text, ""))
	return strings.Trim(clean, "-.")
}

// disposition is the header Content-Disposition (RFC 6266): how is inline or attachment.
// Old clients read the plain name, which has only ASCII.
func disposition(how, name string) string {
	plain := strings.Map(func(c rune) rune {
		if c >= 0x80 {
			return '-'
		}
		return c
	}, name)
	header := how + `; filename="` + plain + `"`
	if plain != name {
		header += "; filename*=UTF-8''" + url.PathEscape(name)
	}
	return header
}
