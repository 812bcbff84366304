package clientcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/cfx"
	"squelch/server/lua/sandbox"
)

// ExitError ends the program with a status of the script's choice.
type ExitError struct{ Status int }

func (e *ExitError) Error() string { return fmt.Sprintf("the script exits with status %d", e.Status) }

// ExitStatus is the status of the process.
func (e *ExitError) ExitStatus() int { return e.Status }

// script is the run of --script.
type script struct {
	*handheld
	chunk *sandbox.Chunk
	ran   sync.WaitGroup // the Lua state's run
	end   context.CancelFunc

	mu     sync.Mutex
	errors int    // errors of threads and handlers
	first  string // the first one
}

// readScript compiles the file, so that its mistakes come before anybody hears of this
// radio.
func readScript(path string) (*sandbox.Chunk, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("--script: %w", err)
	}
	defer f.Close()
	source, err := io.ReadAll(io.LimitReader(f, sandbox.MaxSource+1))
	if err != nil {
		return nil, fmt.Errorf("--script: %w", err)
	}
	chunk, err := sandbox.Script(string(source), filepath.Base(path))
	if err != nil {
		return nil, fmt.Errorf("--script: %w", err)
	}
	return chunk, nil
}

// newScript makes the radio for a script; nothing runs yet.
func newScript(s *session, chunk *sandbox.Chunk, packets [][]byte) (*script, error) {
	r := &script{chunk: chunk}
	h, err := newHandheld(s, cfx.Options{Name: strings.TrimSuffix(chunk.Name, ".lua"), Print: s.out.print, Failed: r.failed}, s.resource)
	if err != nil {
		return nil, err
	}
	h.key.packets = packets
	r.handheld = h
	r.natives()
	return r, nil
}

// openScript reads the file of --script and starts its radio.
func openScript(s *session, packets [][]byte) (*script, error) {
	chunk, err := readScript(s.file)
	if err != nil {
		return nil, err
	}
	r, err := newScript(s, chunk, packets)
	if err == nil {
		r.begin()
	}
	return r, err
}

// failed is an error that ended a thread or a handler. As in the game, the script goes
// on; the command fails in the end.
func (r *script) failed(what string, err *sandbox.Error) {
	text := fmt.Sprintf("%s: %v", what, err)
	r.mu.Lock()
	if r.errors++; r.errors == 1 {
		r.first = text
	}
	r.mu.Unlock()
	r.s.out.status("script_error", map[string]any{"in": what, "error": err.Error()})
}

// natives are what a client's script has besides the common runtime.
func (r *script) natives() {
	L := r.lua.State()
	number := func(v func() float64) lua.LGFunction {
		return func(L *lua.LState) int { L.Push(lua.LNumber(v())); return 1 }
	}
	me := func() float64 { return float64(r.s.self()) }
	r.lua.Global("PlayerId", number(func() float64 { return 0 }))
	r.lua.Global("PlayerPedId", number(func() float64 { return 1 }))
	r.lua.Global("GetPlayerServerId", number(me))
	r.lua.Global("IsDuplicityVersion", func(L *lua.LState) int { L.Push(lua.LFalse); return 1 })
	r.lua.Global("TriggerServerEvent", r.triggerServer)
	nothing := func(*lua.LState) int { return 0 }
	r.lua.Global("RegisterCommand", nothing) // nobody types here
	r.lua.Global("RegisterKeyMapping", nothing)
	if lib, ok := L.GetGlobal("os").(*lua.LTable); ok {
		lib.RawSetString("exit", L.NewFunction(r.exit))
	}
}

// triggerServer is TriggerServerEvent, to the scripts in the service.
func (r *script) triggerServer(L *lua.LState) int {
	name, args := L.CheckString(1), []any{}
	for i := 2; i <= L.GetTop(); i++ {
		v, err := r.lua.ToGo(L.Get(i))
		if err != nil {
			L.RaiseError("TriggerServerEvent: argument %d: %v", i-1, err)
		}
		args = append(args, v)
	}
	r.unasked("serverEvent", map[string]any{"name": name, "args": args})
	return 0
}

// exit is os.exit(true, false or a status). The script does not run on.
func (r *script) exit(L *lua.LState) int {
	status := 0
	switch v := L.Get(1).(type) {
	case lua.LNumber:
		status = int(v)
	case lua.LBool:
		if !bool(v) {
			status = 1
		}
	}
	if status < 0 || status > maxStatus {
		L.ArgError(1, fmt.Sprintf("must be 0 to %d", maxStatus))
	}
	r.s.fail(&ExitError{status})
	r.lua.Stop()
	L.RaiseError("the script has ended")
	return 0
}

// begin runs the Lua state; the script's file follows once the radio knows who it is.
func (r *script) begin() {
	ctx, cancel := context.WithCancel(context.Background())
	r.end = cancel
	r.ran.Go(func() {
		if err := r.lua.Run(ctx); err != nil {
			r.s.fail(fmt.Errorf("--script: %w", err))
		}
	})
}

// load runs the script's file, when the service has told who this user is and what
// channels there are.
func (r *script) load(ctx context.Context) error {
	patience := time.NewTimer(knownTime)
	defer patience.Stop()
	select {
	case <-r.known:
	case <-patience.C: // an older service
	case <-ctx.Done():
		return ctx.Err()
	}
	r.do(func() {
		if err := r.lua.Start(r.chunk); err != nil {
			r.s.fail(fmt.Errorf("--script: %w", err))
		}
	})
	return nil
}

// ticks drives the radio's clock. A tick that a busy script has not taken yet is not
// sent again.
func (r *script) ticks(ctx context.Context) {
	t := time.NewTicker(radioTick)
	defer t.Stop()
	taken := make(chan struct{}, 1)
	taken <- struct{}{}
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		select {
		case <-taken:
			r.do(func() {
				r.adopt()
				r.call(r.tick)
				taken <- struct{}{}
			})
		default:
		}
	}
}

// adopt takes over a RadioConfig that the script has put in place of the radio's own.
func (r *script) adopt() {
	L := r.lua.State()
	theirs, ok := L.GetGlobal("RadioConfig").(*lua.LTable)
	if !ok || theirs == r.config {
		return
	}
	theirs.ForEach(func(k, v lua.LValue) { r.config.RawSet(k, v) })
	L.SetGlobal("RadioConfig", r.config)
}

// quiet lets go of the key, whatever the script holds.
func (r *script) quiet() {
	stopped := make(chan struct{})
	if r.lua.Post(func() {
		r.call(r.stop)
		r.key.end()
		close(stopped)
	}) == nil {
		select {
		case <-stopped:
		case <-r.lua.Ended():
		case <-time.After(goodbyeTime):
			r.lua.Stop()
		}
	}
}

// close ends the script and says how it went.
func (r *script) close() error {
	r.end()
	r.ran.Wait()
	r.key.close()
	r.mu.Lock()
	defer r.mu.Unlock()
	switch r.errors {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("--script: 1 error: %s", r.first)
	}
	return fmt.Errorf("--script: %d errors; the first: %s", r.errors, r.first)
}

// runScript is run for --script.
func (s *session) runScript(ctx context.Context) error {
	chores, cancel := context.WithCancel(ctx)
	defer cancel()
	var ticking sync.WaitGroup
	defer ticking.Wait()
	defer cancel()
	ticking.Go(func() { s.script.ticks(chores) })
	s.out.status("ready", map[string]any{"serverId": s.self(), "speak": s.speak, "scan": s.scan})
	if s.id < 0 {
		config, err := s.fetchConfig(ctx)
		if err != nil {
			return err
		}
		s.script.event("configUpdate", config)
	}
	if err := s.script.load(ctx); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-s.failed:
			return err
		case <-s.script.refresh:
			config, err := s.fetchConfig(ctx)
			if err != nil { // the next change brings the next try
				s.out.status("radio_log", map[string]any{"text": err.Error()})
				continue
			}
			s.script.event("configUpdate", config)
		}
	}
}

// outcome joins the end of a run with that of its script: what the script wanted counts
// before what it got wrong, and its errors before a run that was cut short.
func outcome(run, script error) error {
	var exit *ExitError
	switch {
	case errors.As(run, &exit):
		if exit.Status == 0 {
			return nil
		}
		return exit
	case script != nil && (run == nil || errors.Is(run, context.Canceled) || errors.Is(run, context.DeadlineExceeded)):
		return script
	}
	return run
}

// fetchConfig gets a dispatcher's configuration; players get theirs by an event.
func (s *session) fetchConfig(ctx context.Context) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, loginTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.socket.URL()+"/radio/dispatch/config", nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+s.credentials.token)
	if s.credentials.session != "" {
		req.Header.Set("X-Session-Id", s.credentials.session)
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxConfig))
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("the configuration: the radio answered %s", resp.Status)
	}
	return body, err
}
