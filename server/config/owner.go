package config

import (
	"context"
	"errors"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/config/sandbox"
)

// machine is the Lua state of the callbacks; only own touches it.
type machine struct {
	L      *lua.LState
	config *lua.LTable
	built  time.Time
	broken bool // a call was cut off in the middle: globals may be half changed
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
				continue // nobody waits any more
			}
			v, err := c.answer(m, q)
			q.reply <- answer{v, err}
		}
	}
}

func (m *machine) drop() {
	if m.L != nil {
		m.L.Close()
		m.L, m.config = nil, nil
	}
}

// answer runs one call, on a fresh state if the old one was cut off.
func (c *Callbacks) answer(m *machine, q *call) (lua.LValue, error) {
	if (m.L == nil || m.broken) && (m.built.IsZero() || time.Since(m.built) > rebuildEvery) {
		m.drop()
		m.built, m.broken = time.Now(), false
		L, config, _, err := c.src.run(c.ctx, nil)
		if err != nil {
			return nil, err
		}
		c.nativesInto(L)
		m.L, m.config = L, config
	}
	if m.L == nil {
		return nil, errors.New("is not available: the file did not load again")
	}
	fn, ok := m.config.RawGetString(q.name).(*lua.LFunction)
	if !ok {
		return lua.LNil, nil
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.limit)
	defer cancel()
	out, err := sandbox.Call(ctx, m.L, c.src.name, fn, 1, q.args...)
	if err != nil {
		m.broken = m.broken || ctx.Err() != nil || sandbox.Broken(err)
		if ctx.Err() != nil {
			return nil, errTooSlow
		}
		return nil, err
	}
	if len(out) == 0 {
		return lua.LNil, nil
	}
	return out[0], nil
}
