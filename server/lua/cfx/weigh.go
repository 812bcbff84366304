package cfx

import (
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"

	"squelch/server/lua/sandbox"
)

// weigh ends the script if it keeps too much. The process's heap belongs to everybody,
// so when that has grown, the script's own values are counted.
func (s *Script) weigh() {
	now := time.Now()
	if now.Sub(s.weighed.at) < weighEvery {
		return
	}
	s.weighed.at = now
	live := sandbox.LiveHeap()
	if live < s.weighed.live+weighGrowth {
		s.weighed.live = min(live, s.weighed.live)
		return
	}
	s.weighed.live = live
	if s.Held() > maxHeld {
		s.fatal = &sandbox.Error{File: s.o.Name, Msg: fmt.Sprintf("keeps more than %d MB", maxHeld>>20)}
	}
}

// Sizes of values in bytes, about: those of gopher-lua on a 64-bit machine.
const (
	tableSize = 160
	entrySize = 80 // of the hash part, with the list of keys
	slotSize  = 16
	funcSize  = 96
	coSize    = 5 << 10
)

// Held is how many bytes the script keeps, about, counted up to a little more than
// maxHeld.
func (s *Script) Held() int {
	w := weighing{seen: map[lua.LValue]bool{}}
	w.add(s.L.G.Registry)
	w.add(s.L.G.Global)
	w.add(s.L)
	for _, t := range s.timers {
		if t.fn != nil {
			w.add(t.fn)
		}
	}
	for t := range s.threads {
		w.add(t.co)
		w.add(t.fn)
	}
	for _, list := range s.handlers {
		for _, h := range list {
			w.add(h.fn)
		}
	}
	for _, fn := range s.exports {
		w.add(fn)
	}
	for len(w.todo) > 0 && w.bytes <= maxHeld {
		v := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.inside(v)
	}
	return w.bytes
}

type weighing struct {
	bytes int
	seen  map[lua.LValue]bool
	todo  []lua.LValue
}

func (w *weighing) add(v lua.LValue) {
	switch v := v.(type) {
	case lua.LString:
		w.bytes += len(v)
		return
	case *lua.LTable, *lua.LFunction, *lua.LUserData, *lua.LState:
	default:
		return
	}
	if !w.seen[v] {
		w.seen[v] = true
		w.todo = append(w.todo, v)
	}
}

func (w *weighing) inside(v lua.LValue) {
	switch v := v.(type) {
	case *lua.LTable:
		w.bytes += tableSize + slotSize*v.Len()
		w.add(v.Metatable)
		v.ForEach(func(k, x lua.LValue) {
			if _, isNumber := k.(lua.LNumber); !isNumber {
				w.bytes += entrySize
			}
			w.add(k)
			w.add(x)
		})
	case *lua.LFunction:
		w.bytes += funcSize
		for _, u := range v.Upvalues {
			if u != nil {
				w.bytes += slotSize
				w.add(u.Value())
			}
		}
		if v.Env != nil {
			w.add(v.Env)
		}
	case *lua.LUserData:
		w.bytes += funcSize
	case *lua.LState:
		w.bytes += coSize
		w.stack(v)
	}
}

// stack adds the local variables of a coroutine.
func (w *weighing) stack(L *lua.LState) {
	for level := 0; ; level++ {
		frame, ok := L.GetStack(level)
		if !ok {
			return
		}
		for i := 1; ; i++ {
			name, v := L.GetLocal(frame, i)
			if name == "" {
				break
			}
			w.add(v)
		}
	}
}
