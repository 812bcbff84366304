package cluster

import (
	"encoding/json"
	"fmt"

	"squelch/core"
	"squelch/core/wire"
)

// Place is how far a replica has come.
type Place struct {
	Epoch uint64 `json:"e"`
	Seq   uint64 `json:"s"`
}

// Before says whether one replica has less than another.
func (p Place) Before(q Place) bool {
	return p.Epoch < q.Epoch || p.Epoch == q.Epoch && p.Seq < q.Seq
}

func (p Place) String() string { return fmt.Sprintf("order %d of epoch %d", p.Seq, p.Epoch) }

// decided is what the owner tells all nodes: an order, a hash, or only how far it is.
type decided struct {
	Place
	Node  string `json:"n"`
	Build string `json:"b,omitempty"`
	// Before is the last order of the epoch before, in the first of an epoch.
	Before *Place `json:"p,omitempty"`
	// Origin proposed it, as its proposal Number; ID is for the caller there. A tick has none.
	Origin uint64      `json:"o,omitempty"`
	Number uint64      `json:"i,omitempty"`
	ID     uint64      `json:"c,omitempty"`
	Order  *wire.Order `json:"d,omitempty"`
	Hash   string      `json:"h,omitempty"` // of the state after Place
	Upto   *Place      `json:"u,omitempty"` // what the orders up to there changed is safe
	Broken string      `json:"x,omitempty"` // or is not, and why
	Kind   core.Kind   `json:"k,omitempty"` // of that reason
}

// proposed is what a node asks the owner for.
type proposed struct {
	Origin uint64 `json:"o"`
	Number uint64 `json:"i,omitempty"` // 0: a report; nobody waits for it, and it may be lost
	Oldest uint64 `json:"a,omitempty"` // the lowest number whose order the node has not seen
	ID     uint64 `json:"c,omitempty"`
	Order  wire.Order
}

// roll is a roll call: how far are you? The one who asks is about to decide in Place's epoch.
type roll struct {
	// Users asks who is there instead, once the node's radio is as far as Place.
	Users bool `json:"w,omitempty"`
	Place
}

// rolled is a node's answer to the roll call.
type rolled struct {
	Node string `json:"n"`
	Place
	Users []core.UserID `json:"u,omitempty"` // with a live link there
}

// held is an owner's question who else has the order of a place.
type held struct {
	Node  string `json:"n"`
	Owner uint64 `json:"w"` // the epoch of the one who asks
	Place
}

// carried is a whole radio on its way to a node.
type carried struct {
	Place
	At      int64             `json:"t"`
	Ordered map[uint64]uint64 `json:"r"` // the newest proposal of each origin
	Start   wire.Start        `json:"d"`
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil { // numbers that JSON does not have; no command that was decoded has them
		return nil
	}
	return b
}
