package trial

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// runsEnv is how often each fault is made; 1 in the tests.
const runsEnv = "SQUELCH_CHAOS"

func runs() int {
	n, err := strconv.Atoi(os.Getenv(runsEnv))
	if err != nil || n < 1 {
		return 1
	}
	return n
}

// outcome is what one fault led to.
type outcome struct {
	again time.Duration // the longest time without a key-up at those that were spared
	voice time.Duration // the longest gap in their voice
	equal time.Duration // from the fault's end on until all states were the same
	cause string        // if again was long
	note  string
}

// fault is something that happens to nodes.
type fault struct {
	name string
	edit func(i int, o *NodeOptions)
	// nats: the nodes meet at a NATS of somebody else's.
	nats bool
	// does makes the fault; those that it spares must key again.
	does func(f *field) (spared []int, end func())
	// after looks at what it led to.
	after func(f *field, began time.Time) (note string)
}

// TestChaos makes faults while three nodes key, talk and store. Whatever happens, nothing
// that was acknowledged is lost, all replicas become the same, and the orders are right. Here
// are the faults of the list short, once; with SQUELCH_CHAOS=20, as just chaos has it, all of
// them, and a table.
func TestChaos(t *testing.T) {
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "fault\truns\tothers key again: median\tp95\tmax\tover 2 s\tvoice gap\tequal\tacked\tlost\tgrants judged\tnotes")
	for _, group := range groups() {
		t.Run(strings.ReplaceAll(group[0].name, " ", "-"), func(t *testing.T) {
			f := newField(t, group[0].edit, group[0].nats)
			var acks []Report
			for _, one := range group {
				var all []outcome
				for range runs() {
					f.healed()
					f.work()
					time.Sleep(500 * time.Millisecond)
					all = append(all, f.suffer(one, &acks))
				}
				acked, lost := f.lost(acks)
				if lost > 0 || acked == 0 {
					t.Errorf("%s: of %d changes that were acknowledged, %d are lost", one.name, acked, lost)
				}
				row(w, one.name, all, acked, lost, f.judge().Grants)
			}
			if r := f.judge(); r.Grants < 20*runs() {
				t.Errorf("only %d grants were judged", r.Grants)
			}
		})
	}
	_ = w.Flush()
	t.Log("\n" + table.String())
	if runs() > 1 {
		fmt.Print(table.String())
	}
}

// short are the faults of the short form, which the same three nodes suffer one after the
// other.
var short = []string{"kill owner", "kill both", "stop owner 3 s", "isolate owner", "owner not heard", "reset routes", "lost orders", "damaged store", "graceful move"}

// groups are the faults that the same three nodes suffer. In the long form each has nodes of
// its own, so that its figures are its own.
func groups() (all [][]fault) {
	var same []fault
	for _, one := range faults() {
		switch {
		case runs() > 1:
			all = append(all, []fault{one})
		case slices.Contains(short, one.name):
			same = append(same, one)
		}
	}
	if len(same) > 0 {
		all = append(all, same)
	}
	return all
}

func row(w *tabwriter.Writer, name string, all []outcome, acked, lost, grants int) {
	slices.SortFunc(all, func(a, b outcome) int { return cmp.Compare(a.again, b.again) })
	over, notes := 0, []string{}
	voice, equal := time.Duration(0), time.Duration(0)
	for _, o := range all {
		if o.again > 2*time.Second {
			over++
			notes = append(notes, o.cause)
		}
		if o.note != "" {
			notes = append(notes, o.note)
		}
		voice, equal = max(voice, o.voice), max(equal, o.equal)
	}
	ms := func(d time.Duration) string { return d.Round(time.Millisecond).String() }
	fmt.Fprintf(w, "%s\t%d\t%s\t%s\t%s\t%d\t%s\t%s\t%d\t%d\t%d\t%s\n", name, len(all), ms(all[len(all)/2].again), ms(all[(len(all)*95-1)/100].again), ms(all[len(all)-1].again),
		over, ms(voice), ms(equal), acked, lost, grants, strings.Join(notes, "; "))
}

// suffer makes a fault once, and waits until it is over.
func (f *field) suffer(one fault, acks *[]Report) (o outcome) {
	f.t.Helper()
	for i := range f.nodes {
		f.ask(i, "gaps", "", 0)
	}
	f.cut = -1
	before := slices.Clone(f.nodes)
	began := time.Now()
	spared, end := one.does(f)
	f.keysAgain(began.Add(time.Millisecond), spared...)
	time.Sleep(time.Second) // what comes late
	for _, i := range spared {
		gap, ended := f.longest(i, began)
		if gap > o.again {
			o.again = gap
			o.cause = f.cause(began, ended, spared)
		}
	}
	for _, i := range spared {
		if n := len(f.nodes[i].Events("lost", began)); n > 0 {
			o.note = strings.TrimPrefix(o.note+fmt.Sprintf(", %d users of node %d, which was spared, were taken for lost", n, i), ", ")
			f.t.Logf("%d users of node %d, which was spared, were taken for lost: %s", n, i, f.cause(began, time.Now(), spared))
		}
	}
	gap, cut := f.voiceGaps(spared...)
	o.voice = gap
	if f.cut >= 0 {
		o.note = strings.TrimPrefix(o.note+fmt.Sprintf(", %d ms without voice on the paths that were cut", cut.Milliseconds()), ", ")
	}
	if one.after != nil {
		o.note = strings.TrimPrefix(o.note+", "+one.after(f, began), ", ")
	}
	end()
	for i, old := range before {
		if f.nodes[i] != old {
			*acks = append(*acks, old.Events("ack", time.Time{})...)
			f.ready(i)
		}
	}
	o.equal = f.same()
	return o
}

// cause is what the nodes said while nobody keyed.
func (f *field) cause(from, to time.Time, nodes []int) string {
	var all []string
	for _, i := range nodes {
		for _, line := range strings.Split(f.said(i, 200), "\n") {
			stamp, text, _ := strings.Cut(line, " ")
			at, err := time.ParseInLocation("15:04:05.000", stamp, time.Local)
			if err != nil {
				continue
			}
			at = time.Date(from.Year(), from.Month(), from.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.Local)
			if at.After(from.Add(-100*time.Millisecond)) && at.Before(to.Add(100*time.Millisecond)) && !strings.Contains(text, "route") {
				all = append(all, fmt.Sprintf("+%d ms n%d: %s", at.Sub(from).Milliseconds(), i, text))
			}
		}
	}
	return strings.Join(all, " | ")
}

func others(i ...int) (all []int) {
	for k := range 3 {
		if !slices.Contains(i, k) {
			all = append(all, k)
		}
	}
	return all
}

// kill kills a node, and starts it again at the end.
func (f *field) kill(i int) ([]int, func()) {
	f.nodes[i].Kill()
	return others(i), func() { f.launch(i) }
}

func nothing() {}
