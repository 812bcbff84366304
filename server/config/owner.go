package config

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// machine is the Lua state of the callbacks; only own touches it.
type machine struct {
	L      *lua.LState
	config *lua.LTable
	built  time.Time
	took   time.Duration // building it
	failed bool          // it could not be built
	broken bool          // a call was cut off in the middle: globals may be half changed
	base   uint64        // the process's live heap when the state was empty; 0: not known
}

// own is the goroutine of the callbacks.
func (c *Callbacks) own() {
	defer close(c.done)
	m := &machine{}
	defer m.drop()
	for {
		select {
		case <-c.ctx.Done():
			return
		case q := <-c.queue:
			if q.ctx.Err() != nil {
				continue // the caller has given up
			}
			v, err := c.answer(m, q)
			asked := m.L != nil && sandbox.AskedOthers(m.L)
			if err == nil && asked {
				err = errVoid // whatever it made of it: "has(id) ~= nil" is true here
			}
			q.reply <- answer{v, err, asked}
		}
	}
}

func (m *machine) drop() {
	if m.L != nil {
		m.L.Close()
		m.L, m.config = nil, nil
	}
}

// dropHeavy forgets a state that holds too much memory.
func (m *machine) dropHeavy() {
	m.drop()
	m.base = 0
}

// grown says whether the state keeps too much that calls have added, each within its
// own bound. The last garbage collection may have run in the middle of a call.
func (m *machine) grown(bound uint64) bool {
	if sandbox.LiveHeap() <= m.base+bound {
		return false
	}
	runtime.GC()
	return sandbox.LiveHeap() > m.base+bound
}

// due says whether the state is to be built now: if there is none, or if it is
// broken. After a failure, and if loading takes longer than callLimit, that has to
// wait for rebuildEvery.
func (m *machine) due() bool {
	wait := m.failed || m.L != nil && m.took >= callLimit
	return (m.L == nil || m.broken) && (!wait || time.Since(m.built) > rebuildEvery)
}

// ready builds the state if it is due.
func (c *Callbacks) ready(m *machine) error {
	if m.due() {
		m.drop()
		m.built, m.broken = time.Now(), false
		if m.base == 0 {
			runtime.GC() // until then what the last state held counts as live
			m.base = sandbox.LiveHeap()
		}
		L, config, _, err := c.src.run(c.ctx, nil)
		m.took, m.failed = time.Since(m.built), err != nil
		if err != nil {
			return err
		}
		c.nativesInto(L)
		m.L, m.config = L, config
	}
	if m.L == nil {
		return errors.New("is not available: the file could not be loaded again")
	}
	return nil
}

// answer runs one call, on a fresh state if the old one was cut off.
func (c *Callbacks) answer(m *machine, q *call) (lua.LValue, error) {
	if err := c.ready(m); err != nil {
		return nil, err
	}
	fn, ok := m.config.RawGetString(q.name).(*lua.LFunction)
	if !ok {
		return lua.LNil, nil
	}
	out, err := sandbox.Call(c.ctx, m.L, c.src.name, sandbox.Bounds{Time: c.limit, Heap: c.heap}, fn, 1, q.args...)
	switch {
	case sandbox.Heavy(err):
		m.dropHeavy()
		return nil, err
	case err != nil:
		slow := sandbox.TooSlow(err)
		m.broken = m.broken || slow || sandbox.Broken(err)
		if slow {
			return nil, errTooSlow
		}
		return nil, err
	}
	if m.grown(c.heap) {
		m.dropHeavy()
		c.report(q.name, fmt.Errorf("the callbacks keep more than %d MB: they are restarted and lose their state", c.heap>>20))
	}
	if len(out) == 0 {
		return lua.LNil, nil
	}
	return out[0], nil
}
