package script

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/lua/cfx"
	"squelch/server/lua/sandbox"
)

// Options of New. Radio, View and Act are required.
type Options struct {
	Paths []string // of the scripts, absolute
	Radio string   // name of the radio's resource in exports['…']
	// View lends the radio for reading (engine.View).
	View func(ctx context.Context, look func(core.View)) error
	// Act carries out an action of the table wire.Actions (game.Desk): how many players
	// it concerned, where that is its answer.
	Act func(ctx context.Context, by core.Actor, name string, args json.RawMessage) (count int, err error)
	// Send sends an event to clients; it must not block. Nil: there are none.
	Send func(wire.Message)
	Logf func(format string, args ...any)
}

// Host runs the scripts. Its Follower has to be among the engine's.
type Host struct {
	o      Options
	wanted atomic.Pointer[wanted]
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
	chunks func() ([]*sandbox.Chunk, error) // of the radio's exports
	asked  map[core.UserID]bool             // players who were asked for their callsign; of the engine's goroutine
	units  []*unit                          // in the order in which they start; never changes

	noting sync.Mutex // of handles: what was noted last is also the newest

	mu       sync.Mutex
	exports  map[string]map[string]*cfx.Ref
	aliases  map[string]*cfx.Ref // by "resource_name", see cfx.Options.Alias
	commands map[string]*cfx.Ref // by name in lower case
}

// wanted are the events that any script handles.
type wanted struct {
	events map[string]bool
	radio  bool // one of them is an event of the radio
}

// New reads the scripts. What is wrong with one keeps only that one, and those that
// depend on it, from running.
func New(o Options) *Host {
	h := &Host{o: o, exports: map[string]map[string]*cfx.Ref{}, aliases: map[string]*cfx.Ref{}, commands: map[string]*cfx.Ref{},
		asked: map[core.UserID]bool{}, chunks: sync.OnceValues(exportChunks)}
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.cancel() // until Start
	h.wanted.Store(&wanted{})
	for _, r := range Read(o.Paths, o.Radio) {
		h.units = append(h.units, newUnit(h, r))
	}
	return h
}

// life ends when the scripts are to stop.
func (h *Host) life() context.Context {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ctx
}

// Start begins to run the scripts, one after the other. The engine must be running. After
// Close it may be called again.
func (h *Host) Start() {
	if len(h.units) == 0 {
		return
	}
	h.mu.Lock()
	h.ctx, h.cancel = context.WithCancel(context.Background())
	h.mu.Unlock()
	h.o.Logf("scripts run in Lua 5.1, the game's in Lua 5.4: handbook/scripts.md has the differences")
	h.work.Go(func() {
		for _, u := range h.units {
			first := make(chan struct{})
			h.work.Go(func() { u.live(first) })
			late := time.NewTimer(startTime)
			select {
			case <-first:
			case <-late.C:
			case <-h.life().Done():
			}
			late.Stop()
		}
	})
}

// Close stops all scripts and waits for them.
func (h *Host) Close() {
	h.mu.Lock()
	h.cancel()
	h.mu.Unlock()
	h.work.Wait()
}

// Status is how a script fares.
type Status struct {
	Name     string
	State    string // starting, started, waiting (for its next start), stopped
	Since    time.Time
	Restarts int    // after failures
	Problem  string // why it was stopped last; "": it was not
	Exports  []string
	Events   []string
}

// List tells how all scripts fare.
func (h *Host) List() []Status {
	out := []Status{}
	for _, u := range h.units {
		out = append(out, u.status())
	}
	return out
}

// ErrUnknown is returned for a script that there is not.
var ErrUnknown = errors.New("there is no script of this name")

// Restart stops a script, reads its files again and starts it. It returns when the
// script has started or failed to; the error is what is wrong with its files.
func (h *Host) Restart(ctx context.Context, name string) error {
	for _, u := range h.units {
		if u.name() == name {
			return u.restart(ctx)
		}
	}
	return fmt.Errorf("%w: %s", ErrUnknown, name)
}

// find is exports[resource][name].
func (h *Host) find(resource, name string) (*cfx.Ref, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ref := h.exports[resource][name]; ref != nil {
		return ref, true
	}
	ref := h.aliases[resource+"_"+name]
	return ref, ref != nil
}

func (h *Host) exported(resource, name string, ref *cfx.Ref) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.exports[resource] == nil {
		h.exports[resource] = map[string]*cfx.Ref{}
	}
	h.exports[resource][name] = ref
}

func (h *Host) alias(key string, ref *cfx.Ref) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.aliases[key] = ref
}

// command notes a command of a script; false: the script has too many. The last script
// that registers a name has it.
func (h *Host) command(name string, fn *cfx.Ref) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	had := 0
	for other, ref := range h.commands {
		if other != name && ref.Resource() == fn.Resource() {
			had++
		}
	}
	if had >= maxCommands {
		return false
	}
	h.commands[name] = fn
	return true
}

// forget drops what a script that has stopped exported, here and in the others.
func (h *Host) forget(u *unit) {
	name := u.name()
	h.mu.Lock()
	delete(h.exports, name)
	for key, ref := range h.aliases {
		if ref.Resource() == name {
			delete(h.aliases, key)
		}
	}
	for key, ref := range h.commands {
		if ref.Resource() == name {
			delete(h.commands, key)
		}
	}
	h.mu.Unlock()
	for _, other := range h.units {
		if s := other.running(); s != nil && other != u {
			_ = s.Forget(name) // one that has ended knows nothing any more
			for _, as := range u.resource().Provides {
				_ = s.Forget(as)
			}
		}
	}
}

// emit has an event's handlers run in all scripts but one.
func (h *Host) emit(but *unit, event string, source cfx.Packed, from string, args ...cfx.Packed) {
	if !h.wanted.Load().events[event] {
		return
	}
	for _, u := range h.units {
		if u == but {
			continue
		}
		u.emit(event, source, from, args)
	}
}

// handles notes which events are wanted at all.
func (h *Host) handles() {
	h.noting.Lock()
	defer h.noting.Unlock()
	w := &wanted{events: map[string]bool{}}
	for _, u := range h.units {
		for name := range u.events() {
			w.events[name] = true
			event, is := strings.CutPrefix(name, prefix)
			w.radio = w.radio || is && public[event]
		}
	}
	h.wanted.Store(w)
}

// ClientEvent is an event that a client sends (TriggerServerEvent). It reaches the
// scripts that have registered it for clients; false: none has.
func (h *Host) ClientEvent(from core.UserID, event string, args []json.RawMessage) bool {
	if !h.wanted.Load().events[event] {
		return false
	}
	list := make([]cfx.Packed, len(args))
	for i, text := range args {
		var err error
		if list[i], err = cfx.ParseJSON(text); err != nil {
			return false
		}
	}
	reached := false
	for _, u := range h.units {
		if s := u.running(); s != nil && u.events()[event] {
			reached = true
			u.count(s.EmitNet(event, int(from), list...))
		}
	}
	return reached
}

// Execute runs a command that a script has registered (RegisterCommand), as the console
// (source 0). It does not wait for it.
func (h *Host) Execute(line string) error { return h.execute("", line) }

func (h *Host) execute(from, line string) error {
	words := strings.Fields(line)
	if len(words) == 0 {
		return nil
	}
	h.mu.Lock()
	ref := h.commands[strings.ToLower(words[0])]
	h.mu.Unlock()
	if ref == nil {
		return fmt.Errorf("no script has the command %s", words[0])
	}
	if err := ref.Send(from, 0, words[1:], line); err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	return nil
}
