package config

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// Bounds of the callbacks.
const (
	// callLimit: one call. Origin: a player who connects waits for three of them.
	callLimit = 100 * time.Millisecond
	// waitLimit: a caller's patience, queueing included.
	waitLimit = time.Second
	// queueSize: calls that may wait. The next one is refused.
	queueSize = 64
	// rebuildEvery: a broken state is rebuilt at most this often if loading the file
	// takes longer than callLimit, so that a function that always hangs does not load
	// it all the time. The same holds for a file that did not load again.
	rebuildEvery = 10 * time.Second
	// heapLimit: what the process's heap may grow in one call, and what the state
	// may keep from call to call. Origin: the same as loading the file.
	heapLimit = 256 << 20
	// maxAnswer: characters of a name or NAC id that a callback returns.
	maxAnswer = 128
)

var (
	// playerCallbacks are about a player who connects.
	playerCallbacks = []string{"radioAccessCheck", "getUserNacId", "getPlayerName"}
	// clientCallbacks are called by the player's own radio: they belong in
	// client/config.lua of the game resource, because this file holds secrets.
	clientCallbacks = []string{"talkCheck", "batteryTick", "bgSirenCheck"}
)

// Callbacks are the functions of the config file. One goroutine owns the Lua state
// and runs them one after another, each with callLimit and heapLimit. A call that is
// refused, fails, takes too long or needs too much memory counts as "no", "none" or
// "no name"; each kind of failure is reported once through Logf. The next call gets a
// state that the failure has not touched. A call that uses a value of another resource
// fails, which is not reported if the game server answers that callback.
type Callbacks struct {
	mu      sync.Mutex
	logf    func(string, ...any)
	said    map[string]bool
	closed  bool
	natives Natives

	has    map[string]bool
	game   *ForGame      // nil: no callback needs the game, or it cannot have them
	calls  []GameCall    // those that need it
	limit  time.Duration // of one call
	heap   uint64        // bytes of one call, and kept between calls
	wait   time.Duration // of a caller
	src    source
	queue  chan *call
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
}

// call is one question to the owner of the state.
type call struct {
	ctx   context.Context
	name  string
	args  []lua.LValue
	reply chan answer // buffered, so that the owner never waits
}

type answer struct {
	v     lua.LValue
	err   error
	asked bool // another resource
}

var (
	errClosed  = errors.New("is closed")
	errBusy    = errors.New("has too many calls waiting")
	errVoid    = errors.New("uses a value of another resource, which is not available here")
	errTooSlow = fmt.Errorf("takes longer than %d ms", callLimit.Milliseconds())
)

func newCallbacks(src source, config *lua.LTable) *Callbacks {
	c := &Callbacks{said: map[string]bool{}, limit: callLimit, heap: heapLimit, wait: waitLimit, src: src, done: make(chan struct{})}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.has = callbacksOf(config)
	if len(c.has) == 0 { // nothing to own
		close(c.done)
		return c
	}
	c.queue = make(chan *call, queueSize)
	go c.own()
	return c
}

// callbacksOf returns which callbacks a file defines.
func callbacksOf(config *lua.LTable) map[string]bool {
	has := map[string]bool{}
	for _, name := range playerCallbacks {
		if _, ok := config.RawGetString(name).(*lua.LFunction); ok {
			has[name] = true
		}
	}
	return has
}

// Logf sets where failures are reported; nil drops them.
func (c *Callbacks) Logf(f func(format string, args ...any)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.logf = f
}

// Close ends the calls and the goroutine, and waits for both.
func (c *Callbacks) Close() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	<-c.done
}

// NeedGame are the callbacks that only the game server can answer, as names in the
// order radioAccessCheck, getUserNacId, getPlayerName.
func (c *Callbacks) NeedGame() (names []string) {
	for _, call := range c.calls {
		names = append(names, call.Name)
	}
	return names
}

// ForGame is what the game server needs to answer those callbacks; nil: there are
// none, or the file's secrets cannot be taken out of it (a warning says so).
func (c *Callbacks) ForGame() *ForGame { return c.game }

// Has says whether the file defines a callback.
func (c *Callbacks) Has(name string) bool { return c.has[name] }

// RadioAccess is Config.radioAccessCheck(serverId). Without one: yes. As in
// Lua, every answer but nil and false is yes.
func (c *Callbacks) RadioAccess(ctx context.Context, id int) bool {
	v, ok := c.ask(ctx, "radioAccessCheck", lua.LNumber(id))
	if !ok {
		return !c.has["radioAccessCheck"]
	}
	return lua.LVAsBool(v)
}

// NacID is Config.getUserNacId(serverId); "" is none.
func (c *Callbacks) NacID(ctx context.Context, id int) string {
	v, _ := c.ask(ctx, "getUserNacId", lua.LNumber(id))
	return textAnswer(v)
}

// PlayerName is Config.getPlayerName(serverId); "" is the registered name. The
// dispatch side (0 and below) is "DISPATCH" unless the file says otherwise.
func (c *Callbacks) PlayerName(ctx context.Context, id int) string {
	v, _ := c.ask(ctx, "getPlayerName", lua.LNumber(id))
	if s := textAnswer(v); s != "" || id > 0 {
		return s
	}
	return "DISPATCH"
}

func textAnswer(v lua.LValue) string {
	switch x := v.(type) {
	case lua.LNumber:
		return numberText(float64(x))
	case lua.LString:
		return firstText(strings.TrimSpace(strings.ToValidUTF8(string(x), "")), maxAnswer)
	}
	return ""
}

func firstText(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n])
	}
	return s
}

// ask queues one call and waits for its answer. ok is false if there is no such
// function or it returned no answer.
func (c *Callbacks) ask(ctx context.Context, name string, args ...lua.LValue) (v lua.LValue, ok bool) {
	if !c.has[name] {
		return lua.LNil, false
	}
	a := c.send(ctx, name, args)
	if sandbox.Void(a.v) { // the file's own, such as QBCore
		a = answer{err: errVoid, asked: true}
	}
	if a.err == nil {
		return a.v, true
	}
	if inGame := c.game != nil && slices.Contains(c.NeedGame(), name); ctx.Err() == nil && !(a.asked && inGame) {
		c.report(name, a.err)
	}
	return lua.LNil, false
}

func (c *Callbacks) send(ctx context.Context, name string, args []lua.LValue) answer {
	ctx, cancel := context.WithTimeout(ctx, c.wait)
	defer cancel()
	q := &call{ctx: ctx, name: name, args: args, reply: make(chan answer, 1)}
	if c.ctx.Err() != nil {
		return answer{err: errClosed}
	}
	select {
	case c.queue <- q:
	default:
		return answer{err: errBusy}
	}
	select {
	case a := <-q.reply:
		return a
	case <-ctx.Done():
		return answer{err: errTooSlow}
	case <-c.ctx.Done():
		return answer{err: errClosed}
	}
}

// report logs a failure, once per callback and kind of failure.
func (c *Callbacks) report(name string, err error) {
	key := name + " " + shape(err.Error())
	c.mu.Lock()
	logf := c.logf
	quiet := logf == nil || c.closed || c.said[key] || len(c.said) >= queueSize
	if !quiet {
		c.said[key] = true
	}
	c.mu.Unlock()
	if !quiet {
		at := &Error{File: c.src.name, Key: "Config." + name, Msg: err.Error()}
		if lua := (*sandbox.Error)(nil); errors.As(err, &lua) {
			at.Line, at.Msg = lua.Line, lua.Msg
		}
		logf("%v (reported once)", at)
	}
}
