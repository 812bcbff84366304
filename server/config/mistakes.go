package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"squelch/core"
)

// maxMistakes that are told of one file; more are counted.
const maxMistakes = 100

// Mistakes is all that is wrong with a configuration, the files that belong to it
// included, and what is odd about it.
type Mistakes struct {
	All      []*Error // never empty, in the order of the files
	Warnings []string

	radio     *core.Config // what could be read; nil: nothing
	partly    bool         // its zones could not all be read
	callbacks *Callbacks   // to be tried out; nil: the file did not run
}

// TryOut is Callbacks.TryOut of a file that runs but has mistakes.
func (m *Mistakes) TryOut(ctx context.Context, id int) []Tried {
	if m.callbacks == nil {
		return nil
	}
	return m.callbacks.TryOut(ctx, id)
}

func (m *Mistakes) Error() string {
	lines := make([]string, len(m.All))
	for i, e := range m.All {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap is for errors.Is and errors.As.
func (m *Mistakes) Unwrap() []error {
	all := make([]error, len(m.All))
	for i, e := range m.All {
		all[i] = e
	}
	return all
}

// mistakesOf makes Mistakes of an error, so that more can be told with it; nil of
// an error that is no mistake in a file.
func mistakesOf(err error) *Mistakes {
	if all := (*Mistakes)(nil); errors.As(err, &all) {
		return all
	}
	if one := (*Error)(nil); errors.As(err, &one) {
		return &Mistakes{All: []*Error{one}}
	}
	return nil
}

// mistakes is what the reader has found; nil when all is well.
func (r *reader) mistakes() error {
	if len(r.errs) == 0 {
		return nil
	}
	partly := r.told("zones") || r.told("resourceName") || r.told("jobCodeplugs")
	slices.SortStableFunc(r.errs, func(a, b *Error) int { return a.Line - b.Line })
	if r.unsaid > 0 {
		r.errs = append(r.errs, &Error{File: r.file, Msg: fmt.Sprintf("has %d more mistakes", r.unsaid)})
	}
	return &Mistakes{All: r.errs, Warnings: r.warn, partly: partly}
}

// add tells a mistake.
func (r *reader) add(e *Error) {
	if len(r.errs) >= maxMistakes {
		r.unsaid++
		return
	}
	r.errs = append(r.errs, e)
}

// told says whether a mistake was told already about the value at path, about
// what holds it or about what it holds: the one follows from the other.
func (r *reader) told(path string) bool {
	return slices.ContainsFunc(r.errs, func(e *Error) bool { return inside(e.Key, path) || inside(path, e.Key) })
}

// inside says whether path is holder or a value in it.
func inside(path, holder string) bool {
	rest, found := strings.CutPrefix(strings.ToLower(path), strings.ToLower(holder))
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// held says whether a mistake was told already about the value at path or about
// what holds it.
func (r *reader) held(path string) bool {
	return slices.ContainsFunc(r.errs, func(e *Error) bool { return inside(path, e.Key) })
}

// references are values that name another thing of the configuration, by the
// start and the end of their path: a mistake in the one may be the reason why the
// other finds nothing. to are the values that hold a name, in the form of shape.
var references = []struct {
	from, at string
	to       []string
}{
	{"announcementGroups", ".frequencies", frequencies},
	{"codeplugs", ".zones", []string{"zones"}},
	{"codeplugs", ".revertFrequency", frequencies},
	{"jobCodeplugs", "", []string{"codeplugs", "codeplugs[]", "codeplugs[].id"}},
}

var frequencies = []string{"zones", "zones[]", "zones[].channels", "zones[].channels[]", "zones[].channels[].frequency"}

// wholes are problems of the core that are about several values of the file, by
// their shape: only a mistake in one of these may be the reason.
var wholes = map[string][]string{
	"announcementGroups[].frequencies": nil, // the ones that could be read
	"codeplugs[].zones":                nil,
	"callsign":                         {"callsign.minLength", "callsign.maxLength"},
}

// follows says whether a mistake at path may come of one that was told.
func (r *reader) follows(path string) bool {
	for _, ref := range references {
		if inside(path, ref.from) && strings.HasSuffix(path, ref.at) && slices.ContainsFunc(r.errs, func(e *Error) bool {
			return slices.Contains(ref.to, strings.Replace(shape(e.Key), ".Channels", ".channels", 1))
		}) {
			return true
		}
	}
	parts, whole := wholes[shape(path)]
	if !whole {
		return r.told(path)
	}
	return r.held(path) || slices.ContainsFunc(parts, r.told)
}
