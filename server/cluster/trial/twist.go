package trial

import (
	"squelch/server/cluster"
	"squelch/server/engine"
)

// twisted is a source whose orders one replica gets changed.
type twisted struct {
	*cluster.Source
	orders chan engine.Ordered
}

func twist(s *cluster.Source, change func(engine.Ordered) engine.Ordered) *twisted {
	t := &twisted{s, make(chan engine.Ordered)}
	go func() {
		for {
			select {
			case o := <-s.Orders():
				select {
				case t.orders <- change(o):
				case <-s.Closed():
					return
				}
			case <-s.Closed():
				return
			}
		}
	}()
	return t
}

func (t *twisted) Orders() <-chan engine.Ordered { return t.orders }
