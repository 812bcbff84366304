package themes

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"squelch/server/filelock"
)

// Installed is a theme of a radio.
type Installed struct {
	Slug        string `json:"slug"`
	Name        string `json:"name"`
	Version     string `json:"version"`
	Author      string `json:"author"`
	Description string `json:"description"`
	HasJS       bool   `json:"hasJs"`
	Build       string `json:"build"`
	CSS         string `json:"css"`               // the stylesheet's file
	Picture     string `json:"picture,omitempty"` // the picture's file
	BuiltIn     bool   `json:"builtIn"`

	ScriptSHA256 string    `json:"scriptSha256,omitempty"`
	InstalledAt  time.Time `json:"installedAt,omitzero"` // zero for a built-in theme
	From         string    `json:"from,omitempty"`       // where it came from, for people
	// Broken says what is wrong with its files on the disk; it is not served then.
	Broken string `json:"broken,omitempty"`
}

// Reasons why a change is refused.
var (
	ErrUnknown  = errors.New("no such theme")
	ErrBuiltIn  = errors.New("a built-in theme cannot be replaced or removed")
	ErrTooMany  = fmt.Errorf("there are %d themes already, which is the limit; remove one first", MaxInstalled)
	ErrNoFolder = errors.New("this radio has no folder for themes")
)

// NotReviewed means that a theme has a script, and that nobody has approved exactly
// this script. It does not tell the hash: that is what the review is for.
type NotReviewed struct {
	Slug     string
	Approved string // what was given
}

func (e *NotReviewed) Error() string {
	if e.Approved == "" {
		return fmt.Sprintf("the theme %q has a script: read its source in the review, then install it with the SHA-256 that stands there", e.Slug)
	}
	return fmt.Sprintf("the theme %q has another script than the one that was approved: read its source in the review, then install it with the SHA-256 that stands there", e.Slug)
}

// Library is the themes of one radio: the built-in ones, and those in its folder. The
// command line may change the folder while the service runs.
type Library struct {
	dir     string // "": only the built-in themes
	now     func() time.Time
	builtin map[string]house
	disk    disk

	mu       sync.Mutex
	state    state
	loaded   bool        // there is a state
	seen     os.FileInfo // the index that state was read from, nil: there is none
	unread   error       // why the index there is now could not be read, nil: it is in state
	version  uint64
	fallback *string // nil: nobody has said, as on the command line
	previews []house // the last ones, the present one too
}

// state is what an index says, checked against the files.
type state struct {
	records map[string]*record
	chosen  *string // the default theme; nil: nobody has chosen
	trouble error   // why the index cannot be read; nothing is changed then
}

// Open reads the themes of the folder dir, which is made when the first one is
// installed, and sweeps away what an interrupted change left there. A folder that
// cannot be read is no error: Trouble tells, and the built-in themes are there.
func Open(dir string, now func() time.Time) (*Library, error) {
	builtin, err := builtIn()
	if err != nil {
		return nil, err
	}
	l := &Library{dir: dir, now: now, builtin: housed(builtin), disk: realDisk}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	l.sweepIfFree()
	return l, nil
}

// Trouble is what is wrong with the folder as a whole, nil: nothing.
func (l *Library) Trouble() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	return l.trouble()
}

// Version moves whenever the list, a theme or the default may have changed, also by
// another process. It costs one look at the folder.
func (l *Library) Version() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	return l.version
}

// List is all themes, the built-in ones first, then by name.
func (l *Library) List() []Installed {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	return l.list()
}

// Contents is all themes as List has them, and the default that was chosen, nil: none was.
// The error is Trouble's: then nothing is said of the themes in the folder.
func (l *Library) Contents() (all []Installed, chosen *string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	return l.list(), l.state.chosen, l.trouble()
}

func (l *Library) list() []Installed {
	var all []Installed
	for _, h := range l.builtin {
		all = append(all, h.installed)
	}
	for _, r := range l.state.records {
		all = append(all, r.Installed)
	}
	slices.SortFunc(all, func(a, b Installed) int {
		if a.BuiltIn != b.BuiltIn {
			if a.BuiltIn {
				return -1
			}
			return 1
		}
		if c := strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)); c != 0 {
			return c
		}
		return strings.Compare(a.Slug, b.Slug)
	})
	return all
}

func installedOf(p *Package, builtIn bool) Installed {
	m := p.Manifest
	return Installed{Slug: m.Slug, Name: m.Name, Version: m.Version, Author: m.Author, Description: m.Description,
		HasJS: p.Script != nil, Build: p.Build(), CSS: m.CSS, Picture: p.Picture, BuiltIn: builtIn, ScriptSHA256: p.ScriptSHA256()}
}

// isBuiltIn is for who does not have the lock: a preview adds to the built-in themes.
func (l *Library) isBuiltIn(slug string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, ok := l.builtin[slug]
	return ok
}

// Find is the theme with this slug, nil: there is none.
func (l *Library) Find(slug string) *Installed {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	return l.find(slug)
}

func (l *Library) find(slug string) *Installed {
	if h, ok := l.builtin[slug]; ok {
		return &h.installed
	}
	if r := l.state.records[slug]; r != nil {
		i := r.Installed
		return &i
	}
	return nil
}

// Default is the theme of everybody who has not chosen one, "": none.
func (l *Library) Default() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	return l.defaultTheme()
}

func (l *Library) defaultTheme() string {
	slug := ""
	if l.fallback != nil {
		slug = *l.fallback
	}
	if l.state.chosen != nil {
		slug = *l.state.chosen
	}
	if i := l.find(slug); i == nil || i.Broken != "" {
		return ""
	}
	return slug
}

// SetFallback is what the configuration says the default is; it holds until SetDefault.
func (l *Library) SetFallback(slug string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.fallback == nil || *l.fallback != slug {
		l.fallback = &slug
		l.version++
	}
}

// SetDefault chooses the default, "": none. Who chooses what the configuration says
// has no choice of their own: from then on the configuration counts again.
func (l *Library) SetDefault(slug string) error {
	return l.change(func(next *state) error {
		if slug != "" && l.find(slug) == nil {
			return l.unknown(slug)
		}
		next.chosen = &slug
		if l.fallback != nil && slug == *l.fallback {
			next.chosen = nil
		}
		return nil
	})
}

// Remove takes a theme away.
func (l *Library) Remove(slug string) error {
	if l.isBuiltIn(slug) {
		return fmt.Errorf("%w: %q", ErrBuiltIn, slug)
	}
	return l.change(func(next *state) error {
		if next.records[slug] == nil {
			return l.unknown(slug)
		}
		delete(next.records, slug)
		if next.chosen != nil && *next.chosen == slug {
			next.chosen = nil
		}
		return nil
	})
}

func (l *Library) unknown(slug string) error {
	var all []string
	for _, i := range l.list() {
		all = append(all, i.Slug)
	}
	return fmt.Errorf("%w: %q%s", ErrUnknown, slug, near(slug, all))
}

// Install puts a theme in, or in place of the one with its slug. A theme with a script
// needs approved, the SHA-256 of exactly this script in hex; otherwise the error is a
// *NotReviewed. from says for people where it came from. When it fails, everything is as
// it was.
func (l *Library) Install(p *Package, approved, from string) (Installed, error) {
	p, err := checked(p)
	if err != nil {
		return Installed{}, err
	}
	slug := p.Manifest.Slug
	if l.isBuiltIn(slug) {
		return Installed{}, fmt.Errorf("%w: the slug %q is taken, give the theme another one", ErrBuiltIn, slug)
	}
	if p.Script != nil && !strings.EqualFold(approved, p.ScriptSHA256()) {
		return Installed{}, &NotReviewed{Slug: slug, Approved: approved}
	}
	r := &record{Installed: installedOf(p, false), JS: p.Manifest.JS, Files: filesOf(p.Files)}
	r.InstalledAt, r.From = l.now().UTC().Truncate(time.Second), from
	err = l.change(func(next *state) error {
		if next.records[slug] == nil && len(next.records) >= MaxInstalled {
			return ErrTooMany
		}
		was := next.records[slug]
		next.records[slug] = r
		if was != nil && was.Build == r.Build && was.Broken == "" {
			return nil // its files are there
		}
		return l.place(r, p.Files)
	})
	if err != nil {
		return Installed{}, err
	}
	return r.Installed, nil
}

// checked is p, made again of its files: whatever the caller has done to it, what is
// installed has passed all checks, and its script is the file that will run.
func checked(p *Package) (*Package, error) {
	c := newCollector()
	for _, name := range sortedNames(p.Files) {
		if err := c.entry(); err != nil {
			return nil, err
		}
		if err := c.add(name, slices.Clone(p.Files[name])); err != nil {
			return nil, err
		}
	}
	again, err := c.finish()
	if err != nil {
		return nil, err
	}
	if len(again.Removed) > 0 {
		r := again.Removed[0]
		return nil, wrong(r.File, "line %d: %s was not removed: %s", r.Line, r.What, r.Why)
	}
	return again, nil
}

// change makes a change to the index that no other process can come between.
func (l *Library) change(edit func(next *state) error) error {
	if l.dir == "" {
		return ErrNoFolder
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return fmt.Errorf("the folder for themes: %w", err)
	}
	unlock, err := lock(filepath.Join(l.dir, lockFile))
	if err != nil {
		return err
	}
	defer unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refresh()
	if err := l.trouble(); err != nil {
		return err
	}
	l.sweep()
	next := state{records: maps.Clone(l.state.records), chosen: l.state.chosen}
	err = edit(&next)
	if err == nil {
		err = l.commit(next)
	}
	if err == nil {
		l.refresh()
	}
	l.sweep() // what was replaced or, after an error, what was put there in vain
	return err
}

const (
	indexFile = "index.json"
	lockFile  = ".lock"
	stageMark = ".stage-"
	format    = 1
)

// record is a theme in the index.
type record struct {
	Installed
	JS    string `json:"js,omitempty"`
	Files []File `json:"files"`

	unread *File // could not be read when it was verified; the theme is broken until then
}

func (r *record) folder() string { return r.Slug + "-" + r.Build }

type index struct {
	Note    string    `json:"note"`
	Format  int       `json:"format"`
	Default *string   `json:"default"`
	Themes  []*record `json:"themes"`
}

// commit makes next the truth, by one rename.
func (l *Library) commit(next state) error {
	x := index{Note: "The themes of this radio. Use 'squelch theme' to change them.", Format: format, Default: next.chosen, Themes: []*record{}}
	for _, slug := range sortedNames(next.records) {
		r := *next.records[slug]
		r.Broken = ""
		x.Themes = append(x.Themes, &r)
	}
	data, err := json.MarshalIndent(x, "", "  ")
	if err != nil {
		return err
	}
	if len(data) > maxIndex {
		return fmt.Errorf("the index of themes would have %d bytes; the limit is %d: remove a theme first", len(data), maxIndex)
	}
	temp := filepath.Join(l.dir, stageMark+indexFile)
	err = l.disk.write(temp, append(data, '\n'))
	if err == nil {
		err = l.disk.rename(temp, filepath.Join(l.dir, indexFile))
	}
	if err != nil {
		_ = os.Remove(temp) // the sweep does it again
		return fmt.Errorf("the index of themes cannot be written: %w", err)
	}
	_ = filelock.SyncFolder(l.dir) // the rename is done; only a loss of power could undo it
	return nil
}
