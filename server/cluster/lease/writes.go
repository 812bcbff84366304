package lease

import "time"

// WriteBuckets are the upper bounds of Writes.Within, in seconds: a majority acknowledges a
// write in about 1 ms, and one that takes longer than a lease ends it.
var WriteBuckets = [...]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .2, .5}

// Writes counts renewals of this node's lease since the start. Each is a write that a
// majority of the nodes acknowledges, every Renew, and so says how long writes take.
type Writes struct {
	Acknowledged uint64
	Failed       uint64 // or too late
	Refused      uint64 // changes of an owner, because somebody else had changed it meanwhile
	// Within is how many were acknowledged within each of WriteBuckets, Sum how long all of
	// them took together, and Last the newest one.
	Within    [len(WriteBuckets)]uint64
	Sum, Last time.Duration
}

func (w *Writes) add(took time.Duration, err error) {
	if err != nil {
		w.Failed++
		return
	}
	w.Acknowledged++
	w.Sum, w.Last = w.Sum+took, took
	for i, within := range WriteBuckets {
		if took.Seconds() <= within {
			w.Within[i]++
		}
	}
}
