package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"squelch/core"
)

// maxMistakes bounds the mistakes that are listed for one file; more are counted.
const maxMistakes = 100

// Mistakes is everything that is wrong with a configuration and the files that belong
// to it, and what is odd about it.
type Mistakes struct {
	All      []*Error // never empty, in the order of the files
	Warnings []string
	Account  Account // what becomes of each line, without the mistakes

	radio     *core.Config // what could be read; nil: nothing
	partly    bool         // not all of its zones could be read
	callbacks *Callbacks   // for TryOut; nil: the file did not run
}

// TryOut is Callbacks.TryOut for a file that runs but has mistakes.
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

// Unwrap makes errors.Is and errors.As work.
func (m *Mistakes) Unwrap() []error {
	all := make([]error, len(m.All))
	for i, e := range m.All {
		all[i] = e
	}
	return all
}

// mistakesOf turns an error into Mistakes, so that more can be added; nil if it is
// not a mistake in a file.
func mistakesOf(err error) *Mistakes {
	if all := (*Mistakes)(nil); errors.As(err, &all) {
		return all
	}
	if one := (*Error)(nil); errors.As(err, &one) {
		return &Mistakes{All: []*Error{one}}
	}
	return nil
}

// mistakes returns what the reader has found; nil if there is nothing.
func (r *reader) mistakes() error {
	if len(r.errs) == 0 {
		return nil
	}
	partly := r.told("zones") || r.told("resourceName") || r.told("jobCodeplugs")
	slices.SortStableFunc(r.errs, func(a, b *Error) int { return a.Line - b.Line })
	if r.unsaid > 0 {
		r.errs = append(r.errs, &Error{File: r.file, Msg: fmt.Sprintf("%d more mistakes", r.unsaid)})
	}
	return &Mistakes{All: r.errs, Warnings: r.warn, partly: partly}
}

// add adds a mistake to the list.
func (r *reader) add(e *Error) {
	if len(r.errs) >= maxMistakes {
		r.unsaid++
		return
	}
	r.errs = append(r.errs, e)
}

// told says whether a mistake has been reported about the value at path, about what
// contains it or about what it contains: one of them follows from the other.
func (r *reader) told(path string) bool {
	return slices.ContainsFunc(r.errs, func(e *Error) bool { return inside(e.Key, path) || inside(path, e.Key) })
}

// inside says whether path is holder or a value in it.
func inside(path, holder string) bool {
	rest, found := strings.CutPrefix(strings.ToLower(path), strings.ToLower(holder))
	return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// held says whether a mistake has been reported about the value at path or about what
// contains it.
func (r *reader) held(path string) bool {
	return slices.ContainsFunc(r.errs, func(e *Error) bool { return inside(path, e.Key) })
}

// references are values that name another thing of the configuration, by the start
// and the end of their path: a mistake in that thing may be the reason why it is not
// found. to are the values that hold a name, in the form of shape.
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

// wholes are problems of the core that concern several values of the file, by their
// shape: only a mistake in one of these may be the reason.
var wholes = map[string][]string{
	"announcementGroups[].frequencies": nil, // those that could be read
	"codeplugs[].zones":                nil,
	"callsign":                         {"callsign.minLength", "callsign.maxLength"},
}

// follows says whether a mistake at path may follow from one that has been reported.
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
