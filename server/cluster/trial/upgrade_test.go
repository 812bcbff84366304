package trial

import (
	"testing"
	"time"
)

// TestRollingUpgrade replaces three nodes one by one by a newer build, while all key, talk
// and store. No acknowledged change is lost, each node knows the sessions of before, and the
// radio ends at the newer build.
func TestRollingUpgrade(t *testing.T) {
	build := "1.0.0"
	f := newField(t, func(_ int, o *NodeOptions) { o.Build = build }, false)
	f.ask(0, "session", "console", 0)
	f.work()
	time.Sleep(500 * time.Millisecond)
	build = "1.1.0"
	var acks []Report
	for i := range f.nodes {
		old := f.nodes[i]
		began := time.Now()
		f.ask(i, "leave", "", 0)
		left := time.Since(began)
		old.Stop()
		acks = append(acks, old.Events("ack", time.Time{})...)
		f.keysAgain(began, others(i)...)
		gap, _ := f.longest(others(i)[0], began)
		f.launch(i)
		f.ready(i)
		f.ask(i, "work", "", 20)
		f.ask(i, "knows", "console", 0)
		back := time.Now()
		f.until("all nodes have all that is kept", func() bool { s := f.state(i); return s != nil && s.Current })
		t.Logf("node %d had everything %s after it was back", i, time.Since(back).Round(time.Millisecond))
		t.Logf("node %d left in %s; another keyed with a pause of %s", i, left.Round(time.Millisecond), gap.Round(time.Millisecond))
	}
	began := time.Now()
	f.same()
	t.Logf("all replicas were the same after %s", time.Since(began).Round(time.Millisecond))
	for i := range f.nodes {
		f.ask(i, "knows", "console", 0)
	}
	acked, lost := f.lost(acks)
	if lost > 0 || acked < 10 {
		t.Errorf("of %d changes that were acknowledged, %d are lost", acked, lost)
	}
	r := f.judge()
	t.Logf("%d orders in %d epochs, %d grants, %d changes acknowledged", r.Orders, r.Epochs, r.Grants, acked)
	if r.Epochs < 2 || r.Grants < 20 {
		t.Errorf("that is too little: %+v", r)
	}
}
