package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"squelch/core"
	"squelch/server/cluster/trial"
	"squelch/server/engine"
	"squelch/server/internal/loopback"
)

// Limits of `squelch bench cluster`: what the machine of one person can do.
const (
	maxClusterKeys  = 100_000
	maxClusterKills = 100
	maxIdleTime     = 10 * time.Minute
	// clusterPatience ends a wait that would otherwise last for ever.
	clusterPatience = 2 * time.Minute
	// catchUpTime is how long a node may take to have what it has missed.
	catchUpTime = 10 * time.Second
)

// clusterFlags are those of `squelch bench cluster`.
type clusterFlags struct {
	keys  int
	kills int
	idle  time.Duration
	json  bool
}

// spread is how long something took, in milliseconds.
type spread struct {
	N   int     `json:"n"`
	P50 float64 `json:"p50Ms"`
	P99 float64 `json:"p99Ms"`
	Max float64 `json:"maxMs"`
}

// clusterResult is what `squelch bench cluster` finds.
type clusterResult struct {
	KeyAlone     spread            `json:"keyAlone"` // one process that shares nothing
	KeyOwner     spread            `json:"keyOwner"`
	KeyElsewhere spread            `json:"keyElsewhere"`
	PerSecond    map[string]int64  `json:"commandsPerSecond"` // by the node that asks: alone, owner, elsewhere
	Frames       map[string]spread `json:"frames"`            // by the number of talkers
	Idle         float64           `json:"idlePercent"`       // of a core, three nodes together
	Kills        spread            `json:"kills"`             // until the survivors key again
	KillTimes    []float64         `json:"killsMs"`
	Lost         int               `json:"acknowledgedAndLost"`
	Acked        int               `json:"acknowledged"`
}

func clusterCommand() *cobra.Command {
	var f clusterFlags
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Measure three nodes that share a radio",
		Long: "Start three nodes on loopback, each in a process of its own with its files in a temporary\n" +
			"folder, and print: how long a key-up takes at the node that decides and elsewhere, beside one\n" +
			"process that shares nothing; how many commands there are in a second; how long a frame takes\n" +
			"from node to node; what three idle nodes use; and after how long the others key again when\n" +
			"the node that decides is killed while all of them key, talk and store.",
		Example: "  squelch bench cluster\n  squelch bench cluster --kills 20 --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return cmd.FlagErrorFunc()(cmd, err)
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&f.keys, "keys", 1000, "how many key-ups are measured at each node")
	fl.IntVar(&f.kills, "kills", 5, "how often the node that decides is killed")
	fl.DurationVar(&f.idle, "idle", 10*time.Second, "how long the idle nodes are watched")
	fl.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}

// nodeCommand is a node under measurement, in a process of its own.
func nodeCommand() *cobra.Command {
	return &cobra.Command{Use: "cluster-node", Short: "A node of bench cluster", Hidden: true, Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		return trial.Serve(cmd.InOrStdin(), cmd.OutOrStdout())
	}}
}

func (f *clusterFlags) check() error {
	switch {
	case f.keys < 1 || f.keys > maxClusterKeys:
		return fmt.Errorf("--keys must be from 1 to %d", maxClusterKeys)
	case f.kills < 0 || f.kills > maxClusterKills:
		return fmt.Errorf("--kills must be from 0 to %d", maxClusterKills)
	case f.idle < time.Second || f.idle > maxIdleTime:
		return fmt.Errorf("--idle must be from 1s to %s", maxIdleTime)
	}
	return nil
}

func (f *clusterFlags) run(ctx context.Context, out, progress io.Writer) error {
	folder, err := os.MkdirTemp("", "squelch-cluster")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	say := func(format string, args ...any) { _, _ = fmt.Fprintf(progress, format+"\n", args...) }
	c := &clusterBench{folder: folder, nodes: make([]*trial.Child, 3)}
	defer c.close()
	say("starting three nodes in %s", folder)
	if c.routes, err = loopback.Ports(3); err != nil {
		return err
	}
	for i := range c.nodes {
		if err := c.launch(i); err != nil {
			return err
		}
	}
	for i := range c.nodes {
		if err := c.nodes[i].Ready(clusterPatience); err != nil {
			return fmt.Errorf("%w\n%s", err, c.said(i))
		}
	}
	r := clusterResult{PerSecond: map[string]int64{}, Frames: map[string]spread{}}
	for _, step := range []struct {
		what string
		do   func(ctx context.Context, f *clusterFlags, r *clusterResult) error
	}{
		{fmt.Sprintf("three idle nodes, for %s", f.idle), c.idle},
		{fmt.Sprintf("%d key-ups at each node", f.keys), c.keys},
		{"commands in a second", c.flood},
		{"frames from node to node", c.frames},
		{fmt.Sprintf("%d kills of the node that decides", f.kills), c.kills},
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		say("%s", step.what)
		if err := step.do(ctx, f, &r); err != nil {
			return fmt.Errorf("%s: %w", step.what, err)
		}
	}
	if f.json {
		return json.NewEncoder(out).Encode(r)
	}
	return r.print(out)
}

func (r *clusterResult) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	line := func(what string, s spread) {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%.2f\t%.2f\t%.2f\n", what, s.N, s.P50, s.P99, s.Max)
	}
	_, _ = fmt.Fprintln(w, "milliseconds\tn\tp50\tp99\tmax")
	line("key-up, one process alone", r.KeyAlone)
	line("key-up, at the node that decides", r.KeyOwner)
	line("key-up, elsewhere", r.KeyElsewhere)
	for _, talkers := range []string{"20", "100"} {
		line("frame from node to node, "+talkers+" talkers", r.Frames[talkers])
	}
	line("kill -9 of the node that decides: others key again", r.Kills)
	for _, at := range []string{"alone", "owner", "elsewhere"} {
		_, _ = fmt.Fprintf(w, "commands/s, %s\t%d\n", at, r.PerSecond[at])
	}
	_, _ = fmt.Fprintf(w, "three idle nodes\t%.1f %% of a core\n", r.Idle)
	_, _ = fmt.Fprintf(w, "acknowledged changes\t%d, lost %d\n", r.Acked, r.Lost)
	return w.Flush()
}

func spreadOf(times []int64) spread {
	if len(times) == 0 {
		return spread{}
	}
	slices.Sort(times)
	ms := func(n int64) float64 { return float64(n) / float64(time.Millisecond) }
	return spread{len(times), ms(times[len(times)/2]), ms(times[(len(times)-1)*99/100]), ms(times[len(times)-1])}
}

// clusterBench is three nodes under measurement.
type clusterBench struct {
	folder string
	routes []string
	nodes  []*trial.Child
}

func (c *clusterBench) launch(i int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	folder := filepath.Join(c.folder, fmt.Sprint(i))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	c.nodes[i], err = trial.Launch(exec.Command(self, "bench", "cluster-node"),
		trial.Job{Index: i, Users: 4, Node: trial.NodeOptions{Name: fmt.Sprint("n", i), Listen: c.routes[i], Routes: c.routes, Folder: folder}}, c.log(i))
	return err
}

func (c *clusterBench) log(i int) string { return filepath.Join(c.folder, fmt.Sprint("log", i)) }

func (c *clusterBench) said(i int) string {
	text, _ := os.ReadFile(c.log(i))
	lines := strings.Split(string(text), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}

func (c *clusterBench) close() {
	for _, n := range c.nodes {
		if n != nil {
			n.Kill()
		}
	}
}

// owner is the node that decides.
func (c *clusterBench) owner() (int, error) {
	for end := time.Now().Add(clusterPatience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for i, n := range c.nodes {
			if s, err := n.State(); err == nil && s.Owns {
				return i, nil
			}
		}
	}
	return 0, errors.New("no node decides")
}

func (c *clusterBench) idle(ctx context.Context, f *clusterFlags, r *clusterResult) error {
	used := func() (all time.Duration, err error) {
		for _, n := range c.nodes {
			cpu, err := (&process{pid: n.Process().Pid}).cpu()
			if err != nil {
				return 0, err
			}
			all += cpu
		}
		return all, nil
	}
	before, err := used()
	if err != nil {
		return err
	}
	select {
	case <-time.After(f.idle):
	case <-ctx.Done():
		return ctx.Err()
	}
	after, err := used()
	r.Idle = 100 * float64(after-before) / float64(f.idle)
	return err
}

// keys measures key-ups at all nodes, one after the other, and in this process alone.
func (c *clusterBench) keys(ctx context.Context, f *clusterFlags, r *clusterResult) error {
	alone, err := startAlone(ctx)
	if err != nil {
		return err
	}
	defer alone.Close()
	owner, err := c.owner()
	if err != nil {
		return err
	}
	var all [3][]int64 // alone, owner, elsewhere: in turns, so that what disturbs one disturbs all
	for left := f.keys; left > 0; left -= 100 {
		n := min(left, 100)
		times, err := keyUps(ctx, alone, n)
		if err != nil {
			return err
		}
		all[0] = append(all[0], times...)
		for i, node := range c.nodes {
			got, err := node.Ask("key", "", n, clusterPatience)
			if err != nil {
				return err
			}
			at := 2
			if i == owner {
				at = 1
			}
			all[at] = append(all[at], got.Times...)
		}
	}
	r.KeyAlone, r.KeyOwner, r.KeyElsewhere = spreadOf(all[0]), spreadOf(all[1]), spreadOf(all[2])
	return nil
}

// startAlone starts a radio that shares nothing, with one user.
func startAlone(ctx context.Context) (*engine.Engine, error) {
	state, err := core.Restore(trial.Config(20), core.Data{})
	if err != nil {
		return nil, err
	}
	e := engine.Start(state, engine.NewAlone(time.Now, nil), engine.Options{})
	for _, cmd := range []core.Command{core.Connect{Want: 1}, core.JoinAsSpeaker{User: 1, Frequency: trial.Frequency(0)}} {
		if _, err := e.Do(ctx, core.Actor{User: 1, Surface: core.BySocket}, cmd); err != nil {
			e.Close()
			return nil, err
		}
	}
	return e, nil
}

func keyUps(ctx context.Context, e *engine.Engine, n int) (times []int64, err error) {
	by := core.Actor{User: 1, Surface: core.BySocket}
	for range n {
		began := time.Now()
		if _, err := e.Do(ctx, by, core.KeyUp{User: 1}); err != nil {
			return nil, err
		}
		times = append(times, int64(time.Since(began)))
		if _, err := e.Do(ctx, by, core.KeyDown{User: 1}); err != nil {
			return nil, err
		}
		time.Sleep(2 * time.Millisecond)
	}
	return times, nil
}

// callers is how many ask at once when commands are counted.
const callers = 16

func (c *clusterBench) flood(ctx context.Context, _ *clusterFlags, r *clusterResult) error {
	alone, err := startAlone(ctx)
	if err != nil {
		return err
	}
	defer alone.Close()
	done := make(chan int64, callers)
	for range callers {
		go func() {
			n := int64(0)
			for end := time.Now().Add(time.Second); time.Now().Before(end); n++ {
				_, _ = alone.Do(ctx, core.Actor{User: 1, Surface: core.BySocket}, core.Heard{User: 1})
			}
			done <- n
		}()
	}
	for range callers {
		r.PerSecond["alone"] += <-done
	}
	owner, err := c.owner()
	if err != nil {
		return err
	}
	for at, i := range map[string]int{"owner": owner, "elsewhere": (owner + 1) % 3} {
		got, err := c.nodes[i].Ask("flood", "", callers, clusterPatience)
		if err != nil {
			return err
		}
		r.PerSecond[at] = got.N
	}
	return nil
}

// frames measures voice from one node to the two others.
func (c *clusterBench) frames(_ context.Context, _ *clusterFlags, r *clusterResult) error {
	for _, talkers := range []int{20, 100} {
		for _, n := range c.nodes[1:] {
			if _, err := n.Ask("gaps", "", 0, clusterPatience); err != nil {
				return err
			}
		}
		if _, err := c.nodes[0].Ask("talkers", "", talkers, clusterPatience); err != nil {
			return err
		}
		var late []int64
		for _, n := range c.nodes[1:] {
			got, err := n.Ask("gaps", "", 0, clusterPatience)
			if err != nil {
				return err
			}
			for _, g := range got.Gaps {
				late = append(late, g.Late...)
			}
		}
		r.Frames[fmt.Sprint(talkers)] = spreadOf(late)
	}
	return nil
}

// kills kills the owner again and again, under load.
func (c *clusterBench) kills(_ context.Context, f *clusterFlags, r *clusterResult) error {
	var again []int64
	acked := map[int64]bool{}
	ended := []*trial.Child{}
	for range f.kills {
		for _, n := range c.nodes {
			if _, err := n.Ask("work", "", 20, clusterPatience); err != nil {
				return err
			}
		}
		time.Sleep(time.Second)
		owner, err := c.owner()
		if err != nil {
			return err
		}
		killed := time.Now()
		c.nodes[owner].Kill()
		ended = append(ended, c.nodes[owner])
		longest := time.Duration(0)
		for i, n := range c.nodes {
			if i == owner {
				continue
			}
			gap, err := keysAgain(n, killed)
			if err != nil {
				return fmt.Errorf("%w\n%s", err, c.said(i))
			}
			longest = max(longest, gap)
		}
		again = append(again, int64(longest))
		r.KillTimes = append(r.KillTimes, float64(longest)/float64(time.Millisecond))
		if err := c.launch(owner); err != nil {
			return err
		}
		if err := c.nodes[owner].Ready(clusterPatience); err != nil {
			return fmt.Errorf("%w\n%s", err, c.said(owner))
		}
	}
	r.Kills = spreadOf(again)
	for _, n := range c.nodes {
		if _, err := n.Ask("rest", "", 0, clusterPatience); err != nil {
			return err
		}
	}
	highest := int64(0)
	for _, n := range append(ended, c.nodes...) {
		for _, a := range n.Events("ack", time.Time{}) {
			if acked[a.N] {
				r.Lost++
			}
			acked[a.N], highest = true, max(highest, a.N)
			r.Acked++
		}
	}
	known, err := knows(c.nodes, highest)
	if !known {
		r.Lost++
	}
	return err
}

// knows says whether all nodes have the newest change, which may be on its way to one.
func knows(nodes []*trial.Child, newest int64) (bool, error) {
	for end := time.Now().Add(catchUpTime); ; time.Sleep(50 * time.Millisecond) {
		behind := false
		for _, n := range nodes {
			s, err := n.State()
			if err != nil {
				return false, err
			}
			behind = behind || int64(s.LastPatch) < newest
		}
		if !behind || time.Now().After(end) {
			return !behind, nil
		}
	}
}

// keysAgain is the longest time without a key-up at a node around a moment.
func keysAgain(n *trial.Child, from time.Time) (gap time.Duration, err error) {
	for end := time.Now().Add(clusterPatience); ; time.Sleep(50 * time.Millisecond) {
		if keys := n.Events("key", from); len(keys) >= 30 {
			break
		}
		if time.Now().After(end) {
			return 0, errors.New("a survivor does not key again")
		}
	}
	keys := n.Events("key", from.Add(-time.Second))
	for i := 1; i < len(keys); i++ {
		if keys[i].At >= from.UnixNano() {
			gap = max(gap, time.Duration(keys[i].At-keys[i-1].At))
		}
	}
	return gap, nil
}
