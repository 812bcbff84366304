package themecmd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"squelch/themes"
)

const (
	// devPoll is how often the folder is looked at: it is noticed in the time that a hand
	// needs from the editor to the browser.
	devPoll = 300 * time.Millisecond
	// devEntries is at how many entries a look ends: far more than a theme may have.
	devEntries = 2 * themes.MaxEntries
)

// devState is the folder as it was read last, as the lab is told it.
type devState struct {
	Slug   string `json:"slug"`
	Folder string `json:"folder"`
	At     int64  `json:"at"` // ms since the epoch
	// Style and Rest are hashes of the stylesheets and of all the rest, as they are served.
	Style   string           `json:"style"`
	Rest    string           `json:"rest"`
	Error   string           `json:"error"` // why it is no theme as it is
	Removed []themes.Removal `json:"removed"`
	Hints   []string         `json:"hints"`
}

// watcher has a theme's folder, and serves it as it was when it could be read last.
type watcher struct {
	folder  string
	library *themes.Library

	mu      sync.Mutex
	now     devState
	changed chan struct{} // closed at the next change
	seen    string        // how the folder looked when it was read
}

// newWatcher reads the folder. One that is no theme yet is no error: its author is about
// to correct it.
func newWatcher(folder string) (*watcher, error) {
	library, err := themes.Open("", time.Now)
	if err != nil {
		return nil, err
	}
	w := &watcher{folder: folder, library: library, changed: make(chan struct{}), now: devState{Folder: folder, Removed: []themes.Removal{}, Hints: []string{}}}
	w.seen = look(folder)
	w.read()
	return w, nil
}

func (w *watcher) state() devState {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// next is the present state, and a channel that is closed when there is another.
func (w *watcher) next() (devState, <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now, w.changed
}

// watch reads the folder whenever it has changed, and then calls tell.
func (w *watcher) watch(ctx context.Context, tell func(devState)) {
	tick := time.NewTicker(devPoll)
	defer tick.Stop()
	before := w.seen
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := look(w.folder)
		// An editor writes several files, or one in several steps: it has finished when the
		// folder looks the same twice.
		if now == before && now != w.seen {
			w.seen = now
			w.read()
			tell(w.state())
		}
		before = now
	}
}

// look is what a folder looks like from outside: names, sizes and times.
func look(folder string) string {
	var b strings.Builder
	entries := 0
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			fmt.Fprintf(&b, "%s %v\n", name, err)
			return nil
		}
		if entries++; entries > devEntries {
			return fs.SkipAll
		}
		if strings.HasPrefix(d.Name(), ".") && name != folder {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		info, err := d.Info()
		if err != nil {
			fmt.Fprintf(&b, "%s %v\n", name, err)
			return nil
		}
		if d.IsDir() {
			fmt.Fprintln(&b, name)
		} else {
			fmt.Fprintln(&b, name, info.Size(), info.ModTime().UnixNano(), info.Mode())
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.SkipAll) {
		fmt.Fprintln(&b, err)
	}
	return b.String()
}

// read takes the folder as it is. What is no theme is told; what was served stays.
func (w *watcher) read() {
	p, err := themes.ReadFolder(w.folder)
	if err == nil {
		err = w.library.Preview(p)
	}
	if err == nil {
		w.library.SetFallback(p.Manifest.Slug) // the simulated radio has it on
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now.At = time.Now().UnixMilli()
	if err != nil {
		w.now.Error = err.Error()
	} else {
		w.now = devState{
			Slug: p.Manifest.Slug, Folder: w.folder, At: w.now.At, Style: hashOf(p, isStyle), Rest: hashOf(p, func(name string) bool { return !isStyle(name) }),
			Removed: append([]themes.Removal{}, p.Removed...), Hints: devHints(p),
		}
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

func isStyle(name string) bool { return path.Ext(name) == ".css" }

// hashOf is over those files of a theme, as they are served.
func hashOf(p *themes.Package, of func(name string) bool) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		if of(name) {
			fmt.Fprintf(h, "%s\x00%d\x00%s", name, len(p.Files[name]), p.Files[name])
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// devHints are what "theme check" would say besides what was removed.
func devHints(p *themes.Package) []string {
	hints := []string{}
	for _, h := range hintsOf(p) {
		hints = append(hints, h.String())
	}
	for _, h := range p.Review(nil).Hints {
		hints = append(hints, fmt.Sprintf("%s, line %d: %s – %s", p.Manifest.JS, h.Line, h.What, h.Why))
	}
	if p.Picture == "" {
		hints = append(hints, "preview.png is missing: lists show no picture")
	}
	return hints
}
