package e2e

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	dispatch "squelch/clients/go"
	"squelch/core"
	"squelch/core/wire"
	"squelch/server/internal/loopback"
)

// newerProgram is the program under test with another version.
func newerProgram(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "newer")
	build := exec.Command("go", slices.Concat([]string{"build", "-ldflags", "-X main.build=99.0.0"}, buildFlags, []string{"-o", path, "squelch/server"})...)
	if text, err := build.CombinedOutput(); err != nil {
		t.Fatalf("the newer program cannot be built: %v\n%s", err, text)
	}
	return path
}

// upgraded are three nodes whose program can be exchanged.
type upgraded struct {
	t              *testing.T
	conf           string
	listen, routes []string
	data           []string
	nodes          []*service
}

func (u *upgraded) launch(i int, program string) {
	var peers []string
	for k := range u.routes {
		if k != i {
			peers = append(peers, u.routes[k])
		}
	}
	serving := exec.Command(program, "serve", "--config", u.conf, "--data", u.data[i], "--listen", u.listen[i],
		"--cluster", "county", "--node", fmt.Sprint("n", i+1), "--cluster-listen", u.routes[i], "--routes", strings.Join(peers, ","), "--node-url", "http://"+u.listen[i])
	serving.Env = append(os.Environ(), "SQUELCH_CLUSTER_SECRET=the secret of the county")
	u.nodes[i] = greeted(u.t, serving, u.conf, u.data[i])
}

// loggedIn is a console whose dispatcher is logged in; it, makes patches and talks, at whichever node there is.
type loggedIn struct {
	api     *dispatch.Client
	link    *dispatch.Link
	session session
	first   string // of pair
	pair    []wire.Frequency
	talks   atomic.Int32

	mu     sync.Mutex
	acked  []string // patches
	refuse []error
}

// refused says that this console was told that it is not, or not any more, logged in.
func refused(err error) bool {
	var r *dispatch.Refusal
	return errors.As(err, &r) && (r.Status == http.StatusUnauthorized || r.Status == http.StatusForbidden || r.Code != "")
}

func (c *loggedIn) saw(err error) bool {
	if refused(err) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.refuse = append(c.refuse, err)
	}
	return err == nil
}

// patches makes a patch and removes it, again and again.
func (c *loggedIn) patches(ctx context.Context) {
	for ctx.Err() == nil {
		call, cancel := context.WithTimeout(ctx, patience)
		made, err := c.api.PostPatchCreate(call, wire.PatchCreate{Frequencies: c.pair})
		if c.saw(err) {
			c.mu.Lock()
			c.acked = append(c.acked, made.Patch.ID)
			c.mu.Unlock()
		}
		// One whose creation was not acknowledged may be there all the same.
		if all, err := c.api.GetPatches(call); c.saw(err) {
			for _, p := range all.Patches {
				if slices.Contains(p.Frequencies, c.first) {
					c.saw(c.api.PostPatchRemove(call, wire.PatchRemove{ID: p.ID}))
				}
			}
		}
		cancel()
		pause(ctx, 20*time.Millisecond)
	}
}

// talk says something, again and again.
func (c *loggedIn) talk(ctx context.Context) {
	silence := slices.Repeat([][]byte{{0xf8, 0xff, 0xfe}}, 5)
	for ctx.Err() == nil {
		call, cancel := context.WithTimeout(ctx, patience)
		if c.saw(c.link.Talk(call, c.pair[0], silence)) {
			c.talks.Add(1)
		}
		cancel()
		pause(ctx, 50*time.Millisecond)
	}
}

func (c *loggedIn) wentOn(talks int32, acked int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.talks.Load() > talks && len(c.acked) > acked
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// TestNodesAreUpgradedOneByOne: three nodes get a newer program one after the other, while a
// console that has logged in at each of them makes patches and talks. None is logged out,
// each goes on, and no patch that was acknowledged is forgotten.
func TestNodesAreUpgradedOneByOne(t *testing.T) {
	const consoles = 3
	newer := newerProgram(t)
	free, err := loopback.Ports(6)
	if err != nil {
		t.Fatal(err)
	}
	var channels strings.Builder
	for i := range 2 * consoles {
		fmt.Fprintf(&channels, "table.insert(Config.zones[1].Channels, { name = 'OPS %d', type = 'conventional', frequency = '155.%d00', allowedNacs = { 'PD' } })\n", i+1, i+1)
	}
	u := &upgraded{t: t, conf: configure(t, channels.String()), listen: free[:3], routes: free[3:], nodes: make([]*service, 3)}
	for range 3 {
		u.data = append(u.data, filepath.Join(t.TempDir(), "data"))
	}
	var starts sync.WaitGroup
	for i := range u.nodes {
		starts.Go(func() { u.launch(i, program) })
	}
	starts.Wait()

	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	all := make([]*loggedIn, consoles)
	for i, s := range u.nodes {
		c := &loggedIn{session: s.login(fmt.Sprint("D-", i+1)), first: fmt.Sprintf("155.%d", 2*i+1)}
		c.pair = []wire.Frequency{dispatch.MustFrequency(c.first), dispatch.MustFrequency(fmt.Sprintf("155.%d", 2*i+2))}
		if c.api, err = dispatch.New(s.url, dispatch.Session(c.session.AuthToken, c.session.SessionID)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.api.Close)
		c.link, err = c.api.Connect(ctx, core.UserID(-11-i))
		if err == nil {
			err = c.link.SetSpeakerChannel(ctx, c.pair[0])
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.link.Close)
		work.Go(func() { c.patches(ctx) })
		work.Go(func() { c.talk(ctx) })
		all[i] = c
	}
	goOn := func(when string) {
		t.Helper()
		for i, c := range all {
			talks := c.talks.Load()
			c.mu.Lock()
			acked := len(c.acked)
			c.mu.Unlock()
			for end := time.Now().Add(patience); !c.wentOn(talks+3, acked+3); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%s console %d does not go on: refused %v, its link has ended: %v", when, i+1, c.refuse, c.link.Err())
				}
			}
		}
	}
	goOn("before")
	for i, s := range u.nodes {
		s.stop()
		u.launch(i, newer)
		goOn(fmt.Sprint("after node ", i+1, " was replaced"))
	}
	cancel()
	work.Wait()

	given := map[string]int{}
	total := 0
	for i, c := range all {
		for _, err := range c.refuse {
			t.Errorf("console %d was refused: %v", i+1, err)
		}
		if err := c.link.Err(); err != nil {
			t.Errorf("the link of console %d has ended: %v", i+1, err)
		}
		for _, s := range u.nodes {
			s.ask(http.MethodGet, "/api/patches", nil, c.session, http.StatusOK, nil)
		}
		for _, id := range c.acked {
			if given[id]++; given[id] > 1 {
				t.Errorf("patch %s was given twice", id)
			}
			total++
		}
	}
	var last wire.PatchCreated
	u.nodes[0].ask(http.MethodPost, "/api/patch/create", map[string]any{"frequencies": []string{"154.755", "154.810"}}, all[0].session, http.StatusCreated, &last)
	if given[last.Patch.ID] > 0 {
		t.Errorf("patch %s is given a second time at the end", last.Patch.ID)
	}
	t.Logf("%d patches were acknowledged, %d + %d + %d transmissions made", total, all[0].talks.Load(), all[1].talks.Load(), all[2].talks.Load())
}
