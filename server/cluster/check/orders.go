package check

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"squelch/core"
	"squelch/core/wire"
)

// Applied is an order that a replica has applied, or a snapshot that has replaced it.
type Applied struct {
	Epoch uint64      `json:"e"`
	Seq   uint64      `json:"s"`
	Order *wire.Order `json:"o,omitempty"`
	Start *wire.Start `json:"w,omitempty"`
}

// Report is what was found to be right.
type Report struct {
	Orders, Snapshots, Epochs, Grants int
	// Jump is the longest time from one order to the next of another epoch, ms.
	Jump int64
	// Floors are who held which floor, by what each node has applied, to judge frames by.
	Floors map[string]*Floors
}

// Orders judges what nodes have applied, from the start of their radio on. A node that was
// started anew begins with a snapshot; an epoch of zero separates what its processes have
// written.
func Orders(start wire.Start, logs map[string][]Applied) (r Report, err error) {
	decided := map[[2]uint64][]byte{}
	epochs := map[uint64]bool{}
	r.Floors = map[string]*Floors{}
	for _, node := range slices.Sorted(maps.Keys(logs)) {
		n := replay{start: start, report: &r}
		n.begin()
		for _, a := range logs[node] {
			epochs[a.Epoch] = true
			if a.Order != nil {
				text, err := json.Marshal(a.Order)
				if err != nil {
					return r, err
				}
				at := [2]uint64{a.Epoch, a.Seq}
				if other, known := decided[at]; known && !bytes.Equal(other, text) {
					return r, fmt.Errorf("node %s has another order %d in epoch %d than others: two nodes have decided\n%s\n%s", node, a.Seq, a.Epoch, text, other)
				}
				decided[at] = text
			}
			if err := n.apply(a); err != nil {
				return r, fmt.Errorf("node %s, order %d of epoch %d: %w", node, a.Seq, a.Epoch, err)
			}
		}
		r.Floors[node] = n.floors
	}
	r.Orders, r.Epochs = len(decided), len(epochs)
	return r, nil
}

// replay is a node's radio.
type replay struct {
	start  wire.Start
	report *Report

	state      *core.State
	floors     *Floors
	epoch, seq uint64
	last       int64
}

func (n *replay) begin() {
	n.state, n.epoch, n.seq, n.last = nil, 0, 0, 0
}

func (n *replay) apply(a Applied) (err error) {
	if a.Start != nil {
		n.report.Snapshots++
		n.epoch, n.seq, n.last = a.Epoch, a.Seq, a.Start.Data.Now
		if n.state, err = core.Restore(a.Start.Config, a.Start.Data); err != nil {
			return err
		}
		if n.floors == nil {
			n.floors = NewFloors(false)
		}
		n.floors.Block = a.Start.Config.Bonking.BlockTransmission
		n.floors.Replace(a.Start.Data.Now, a.Start.Data.Talks)
		return nil
	}
	if n.state == nil || a.Epoch == 0 {
		if n.state, err = core.Restore(n.start.Config, n.start.Data); err != nil {
			return err
		}
		n.floors = NewFloors(n.start.Config.Bonking.BlockTransmission)
		n.epoch, n.seq, n.last = a.Epoch, a.Seq-1, 0
	}
	switch {
	case a.Epoch < n.epoch:
		return fmt.Errorf("after epoch %d", n.epoch)
	case a.Seq != n.seq+1:
		return fmt.Errorf("after order %d", n.seq)
	case a.Order.At < n.last:
		return fmt.Errorf("it is %d ms earlier than the one before", n.last-a.Order.At)
	}
	if a.Epoch != n.epoch && n.last != 0 {
		n.report.Jump = max(n.report.Jump, a.Order.At-n.last)
	}
	n.epoch, n.seq, n.last = a.Epoch, a.Seq, a.Order.At
	var out core.Output
	at := time.UnixMilli(a.Order.At)
	if a.Order.Command == nil {
		out = n.state.Tick(at)
	} else {
		out, _ = n.state.Step(at, a.Order.By, a.Order.Command) // a refusal only lets time pass
	}
	if _, is := a.Order.Command.(core.ReplaceConfig); is {
		n.floors.Block = n.state.View().Config().Bonking.BlockTransmission
	}
	for _, e := range out.Events {
		if _, is := e.Fact.(core.FloorTaken); is {
			n.report.Grants++
		}
	}
	return n.floors.Step(a.Order.At, a.Order.Command, out.Events)
}
