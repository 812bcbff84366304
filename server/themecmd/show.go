package themecmd

import (
	"fmt"
	"io"
	"strings"

	"squelch/themes"
)

// plain is text of a theme as a terminal may show it: what is not seen (control
// characters, which can hide what was written before, those that turn the direction of
// text round, and letters without a shape) is written as its code.
func plain(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case !themes.Invisible(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%x}`, r)
		}
	}
	return b.String()
}

// line is plain text on one line.
func line(text string) string {
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(plain(text))
}

func showReview(w io.Writer, r themes.Review) {
	fmt.Fprintf(w, "theme     %s %s (%s), by %s\n", line(r.Name), line(r.Version), r.Slug, line(r.Author))
	if r.Description != "" {
		fmt.Fprintf(w, "          %s\n", line(r.Description))
	}
	if o := r.Replaces; o != nil {
		switch {
		case o.BuiltIn:
			fmt.Fprintf(w, "replaces  nothing: the built-in theme %s has this slug, give yours another one\n", line(o.Name))
		case o.Same:
			fmt.Fprintf(w, "replaces  itself: exactly this is installed\n")
		default:
			fmt.Fprintf(w, "replaces  %s %s, by %s%s\n", line(o.Name), line(o.Version), line(o.Author), scriptChange(o.HasJS, r.HasJS, o.ScriptChanged))
		}
	}
	fmt.Fprintf(w, "files     %d, %d bytes\n", len(r.Files), r.Bytes)
	for _, f := range r.Files {
		fmt.Fprintf(w, "  %8d  %s\n", f.Bytes, line(f.Name))
	}
	if len(r.Removed) > 0 {
		fmt.Fprintf(w, "removed   %d\n", len(r.Removed))
		for _, x := range r.Removed {
			fmt.Fprintf(w, "  %s:%d:%d  %s: %s\n", line(x.File), x.Line, x.Column, line(x.What), line(x.Why))
		}
	}
	if r.HasJS {
		fmt.Fprintf(w, "script    %s, %d bytes, SHA-256 %s\n", line(r.JS), len(r.Script), r.ScriptSHA256)
		for _, h := range r.Hints {
			fmt.Fprintf(w, "  line %d  %s: %s\n", h.Line, line(h.What), line(h.Why))
		}
	}
	for _, text := range r.Warnings {
		fmt.Fprintf(w, "note      %s\n", line(text))
	}
}

func scriptChange(had, has, changed bool) string {
	switch {
	case !had && has:
		return "; it had no script"
	case had && !has:
		return "; it had a script"
	case has && changed:
		return "; its script has changed"
	case has:
		return "; its script is the same"
	}
	return ""
}

// showSource prints a script with the numbers of its lines.
func showSource(w io.Writer, name, source string) {
	fmt.Fprintf(w, "\n%s:\n", line(name))
	for i, l := range strings.Split(strings.TrimSuffix(strings.ReplaceAll(source, "\r\n", "\n"), "\n"), "\n") {
		fmt.Fprintf(w, "%5d  %s\n", i+1, plain(l))
	}
	fmt.Fprintln(w)
}
