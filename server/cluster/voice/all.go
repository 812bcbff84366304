package voice

import (
	"encoding/binary"
	"time"

	"github.com/nats-io/nats.go"
)

// A node that records needs the voice of all channels, also where only users of one other node
// are; those nodes would not send it. So it says that it wants all, when that changes and again
// and again; who starts asks at once.

// What a node says: a process, then one of these.
const (
	asks  byte = 'a' // who wants all?
	wants byte = 'w' // I do; or, once, I no longer do
	no    byte = 'n'
)

// others are the nodes that want all, and until when that holds.
type others map[uint64]time.Time

// tell says something to the other nodes. If it is lost, it is said again.
func (v *Voice) tell(what byte) {
	if what == wants && !v.all.Load() {
		what = no
	}
	_ = v.o.Conn.Publish(v.tells, append(v.id8(nil), what))
}

// told takes what another node says.
func (v *Voice) told(m *nats.Msg) {
	if len(m.Data) != 9 {
		v.malformed.Add(1)
		return
	}
	id := binary.BigEndian.Uint64(m.Data)
	if id == v.id {
		return
	}
	switch m.Data[8] {
	case asks:
		if v.all.Load() {
			v.tell(wants)
		}
	case wants:
		v.want(id, time.Now().Add(tellLasts))
	case no:
		v.want(id, time.Time{})
	}
}

// want notes until when a node wants all; zero: it does not.
func (v *Voice) want(id uint64, until time.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.over {
		return
	}
	if v.wanted == nil {
		v.wanted = others{}
	}
	if _, known := v.wanted[id]; until.IsZero() {
		delete(v.wanted, id)
	} else if known || len(v.wanted) < mostNodes {
		v.wanted[id] = until
	}
	v.o.Media.CarryAll(len(v.wanted) > 0)
}

// remind says again that this node wants all, and forgets those that no longer say it.
func (v *Voice) remind() {
	if v.all.Load() {
		v.tell(wants)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for id, until := range v.wanted {
		if time.Now().After(until) {
			delete(v.wanted, id)
		}
	}
	if !v.over {
		v.o.Media.CarryAll(len(v.wanted) > 0)
	}
}
