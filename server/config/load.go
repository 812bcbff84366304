package config

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/core"
	"squelch/server/lua/sandbox"
)

// defaultSource is the demo radio, and the example for operators.
//
//go:embed default.lua
var defaultSource string

// DefaultSource returns the commented file that Default loads, for a command that
// writes an example.
func DefaultSource() string { return defaultSource }

const (
	// loadLimit: running a config file. Real ones need about 5 ms.
	loadLimit = 3 * time.Second
	// maxPrints: lines that a file may print into the warnings.
	maxPrints = 20
)

// Open reads the config file that a command was given; "" means the demo radio.
func Open(path string) (*Loaded, error) {
	if path == "" {
		return Default(), nil
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(abs); err != nil {
		return nil, fmt.Errorf("cannot read the configuration: %w", err)
	}
	return Load(abs)
}

// Load reads the config file at path and the permissions.cfg beside it. The error is
// a *Mistakes: everything that is wrong with them, with file, line and key.
func Load(path string) (*Loaded, error) {
	return loadFiles(path, filepath.Join(filepath.Dir(path), "permissions.cfg"), false)
}

// loadFiles reads a config file and its permissions; other: it is of another radio than the main
// one.
func loadFiles(path, permissions string, other bool) (*Loaded, error) {
	src, err := readFile(path)
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(path)
	if abs, err := filepath.Abs(folder); err == nil {
		folder = abs
	}
	perms, err := loadPermissions(permissions)
	if err != nil {
		if perms = (&Permissions{}); mistakesOf(err) == nil {
			return nil, err
		}
	}
	wrong := mistakesOf(err)
	demo, err := loadSource(demoSource())
	if err != nil {
		return nil, err
	}
	demo.Callbacks.Close()
	l, err := loadSource(source{text: src, name: path, folder: folder, demo: &demo.Core, limit: loadLimit, other: other})
	if err == nil && wrong == nil {
		perms.Check(&l.Core, false)
		l.Core.ACL, l.permissions = perms.ACL, perms
		l.Warnings = append(l.Warnings, perms.Warnings...)
		l.Account.Permissions = perms.account()
		return l, nil
	}
	if err == nil {
		l.Callbacks.Close()
		return nil, wrong
	}
	all := mistakesOf(err)
	if all == nil {
		return nil, err
	}
	if wrong != nil {
		all.All = append(all.All, wrong.All...)
	}
	if all.radio != nil {
		perms.Check(all.radio, all.partly)
	}
	all.Warnings = append(all.Warnings, perms.Warnings...)
	all.Account.Permissions = perms.account()
	return nil, all
}

// Default returns the embedded demo radio.
func Default() *Loaded {
	l, err := loadSource(demoSource())
	if err != nil {
		panic("config: the embedded default.lua does not load: " + err.Error()) // a test loads it
	}
	return l
}

func demoSource() source {
	return source{text: defaultSource, name: "default.lua", limit: loadLimit}
}

// readFile reads a text file of at most sandbox.MaxSource bytes.
func readFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return "", fmt.Errorf("%s: %w", path, os.ErrNotExist)
		}
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > sandbox.MaxSource {
		return "", &Error{File: path, Msg: fmt.Sprintf("must be a file of at most %d bytes", sandbox.MaxSource)}
	}
	b, err := os.ReadFile(path)
	return string(b), err
}

// source is one config file in memory with what belongs to it.
type source struct {
	text, name, folder string
	demo               *core.Config // for what the file leaves out; nil: nothing
	limit              time.Duration
	other              bool // of another radio than the main one of a host
}

// run executes the file in a new state and finds its Config table.
func (s source) run(ctx context.Context, print func(string)) (*lua.LState, *lua.LTable, *sandbox.Chunk, error) {
	chunk, err := sandbox.Compile(s.text, s.name)
	if err != nil {
		return nil, nil, nil, located(err)
	}
	L := sandbox.New(print)
	L.SetGlobal("Config", L.NewTable())
	out, err := sandbox.Run(ctx, L, chunk, s.limit)
	if err != nil {
		L.Close()
		return nil, nil, nil, located(err)
	}
	t, ok := L.GetGlobal("Config").(*lua.LTable)
	if len(out) > 0 {
		if returned, is := out[0].(*lua.LTable); is { // "local Config = {…} return Config"
			t, ok = returned, true
		}
	}
	if !ok {
		L.Close()
		return nil, nil, nil, &Error{File: s.name, Key: "Config", Msg: "must be a table"}
	}
	return L, t, chunk, nil
}

// located turns an error of the sandbox into an *Error.
func located(err error) error {
	var at *sandbox.Error
	if errors.As(err, &at) {
		return &Error{File: at.File, Line: at.Line, Msg: at.Msg}
	}
	return err
}

func loadSource(s source) (*Loaded, error) {
	var printed []string
	L, table, chunk, err := s.run(context.Background(), func(line string) {
		if len(printed) < maxPrints {
			printed = append(printed, s.name+" prints: "+strings.ToValidUTF8(firstRunes(line, 200), "?"))
		}
	})
	if err != nil {
		return nil, err
	}
	defer L.Close()
	r := &reader{file: s.name, lines: findLines(chunk.Stmts), said: map[string]bool{}, index: map[string][]string{}}
	l, err := r.all(value{r: r, v: table}, s)
	if wrong := mistakesOf(err); wrong != nil {
		calls := gameCallsOf(L, table)
		wrong.Account = Account{Config: r.account(table, calls)}
		wrong.Warnings = slices.Concat(printed, wrong.Warnings, gameNotes(s.name, calls))
		wrong.callbacks = &Callbacks{has: callbacksOf(table), calls: calls, limit: callLimit, heap: heapLimit, src: s}
		if !r.stop {
			wrong.radio = &l.Core
		}
		return nil, wrong
	}
	l.Warnings = append(printed, r.warn...)
	l.Extra = r.extra
	l.Callbacks = newCallbacks(s, table)
	calls := gameCallsOf(L, table)
	l.Account = Account{Config: r.account(table, calls)}
	if len(calls) > 0 {
		l.Callbacks.calls = calls
		l.Warnings = append(l.Warnings, gameNotes(s.name, calls)...)
		if l.Callbacks.game, err = s.forGame(table); err != nil {
			l.Warnings = append(l.Warnings, "the game server cannot be given the callbacks: "+err.Error())
		}
	}
	return l, nil
}

func firstRunes(s string, n int) string {
	if len(s) > n {
		return s[:n] + "…"
	}
	return s
}

// all reads everything and checks it. Besides an error, a *Mistakes, it returns what
// could be read.
func (r *reader) all(c value, s source) (*Loaded, error) {
	l := &Loaded{Core: r.core(c, s.demo), Server: r.server(c, s.folder)}
	l.Server.Transcriber = r.transcriber(c.get("transcriber"), &l.Core, s.folder)
	r.limits(c.get("limits"), &l.Server.Limits, &l.Core.Limits)
	r.recording(c.get("recording"), &l.Server.Recording, &l.Core, s.folder)
	if l.Server.Transcriber != nil && !l.Server.Recording.On && !r.told("recording") {
		r.warnAs(Ignored, "transcriber alone", "transcriber", "has no effect: without recording there is nothing to turn into text")
	}
	l.Server.Webhooks = r.webhooks(c.get("webhooks"), &l.Core, s.folder)
	for _, name := range slices.Concat(playerCallbacks, clientCallbacks) {
		if v := c.get(name); !v.none() {
			if _, ok := v.v.(*lua.LFunction); !ok {
				v.wrong("a function")
			}
		}
	}
	if s.other {
		r.ofHost(c)
	} else {
		l.Server.Radios = r.radios(c.get("radios"), s.folder)
	}
	r.unused(c)
	r.missingTones(l)
	r.check(&l.Core)
	return l, r.mistakes()
}

// check reports what a radio cannot work with.
func (r *reader) check(c *core.Config) {
	if r.stop || r.unsaid > 0 {
		return // half of it was read, or it was reported
	}
	read := *r // what reading has reported; the radio's own mistakes do not hide each other
	for _, p := range c.Problems() {
		if e := r.checked(p); !read.follows(e.Key) {
			r.add(e)
		}
	}
}

// missingTones warns of sound files that are not there.
func (r *reader) missingTones(l *Loaded) {
	for i, t := range l.Core.Tones {
		if l.Server.ToneFolder == "" || slices.Contains(builtinTones, strings.TrimSuffix(t.File, ".wav")) {
			continue
		}
		if _, err := os.Stat(filepath.Join(l.Server.ToneFolder, t.File)); err != nil {
			key := r.written(index("tones", i+1))
			r.warnAs(Missing, key, key, "%s is not in the tone folder", t.File)
		}
	}
}

// checked gives a problem of the core's configuration its file and line.
func (r *reader) checked(p *core.Error) *Error {
	key, msg := r.written(p.Field), p.Message
	if rest, ok := strings.CutPrefix(msg, p.Field); ok && strings.IndexAny(rest, " :") == 0 {
		msg = strings.TrimLeft(rest, ": ")
	}
	return &Error{File: r.file, Line: r.lines.of(key), Key: key, Msg: msg}
}

var pathIndex = regexp.MustCompile(`\[\d+\]`)

// written turns a path in core.Config into the path in the file: holes in lists,
// tables keyed by name and "Channels" make them differ.
func (r *reader) written(corePath string) string {
	out, rest := "", corePath
	for {
		at := pathIndex.FindStringIndex(rest)
		if at == nil {
			return out + rest
		}
		out += rest[:at[0]]
		n, _ := strconv.Atoi(rest[at[0]+1 : at[1]-1])
		if from := r.index[strings.ToLower(out)]; n >= 1 && n <= len(from) {
			out = from[n-1]
		} else {
			out = index(out, n)
		}
		rest = rest[at[1]:]
	}
}
