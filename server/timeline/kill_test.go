package timeline_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"squelch/core"
	"squelch/server/audit"
	"squelch/server/store"
	"squelch/server/timeline"
)

// child is a service that is going to be killed: it makes changes, each with a record of
// the audit log and a moment, and says of each when both are on the disk.
func child() {
	dir := os.Getenv("SQUELCH_TIMELINE_CHILD")
	if dir == "" {
		return
	}
	err := func() error {
		ctx := context.Background()
		s, err := store.Open(ctx, dir, store.Options{})
		if err != nil {
			return err
		}
		tl, err := timeline.Open(ctx, s.Timeline(), timeline.Options{})
		if err != nil {
			return err
		}
		log := audit.New(s.Audit(), time.Now)
		for n := 1; ; n++ {
			tl.Add(keyed(n)) // nobody waits for what was said
			last := tl.Add(core.Moment{Kind: core.MomentAlert, At: int64(n), Detail: fmt.Sprint(n)})
			entered := tl.Written(last)
			err := log.Append(ctx, audit.Entry{Surface: audit.Core, Action: "alert", Target: fmt.Sprint(n)})
			if err = errors.Join(err, <-entered); err != nil {
				return err
			}
			fmt.Println(n)
		}
	}()
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// TestWhatWasAcknowledgedIsOnTheTimelineAfterAKill: a process is killed with SIGKILL while
// it makes changes. Every change that it has acknowledged is on the timeline, as it is in
// the audit log, and no transmission is without an end.
func TestWhatWasAcknowledgedIsOnTheTimelineAfterAKill(t *testing.T) {
	dir := t.TempDir()
	for round := range 3 {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), "SQUELCH_TIMELINE_CHILD="+dir)
		c.Stderr = os.Stderr
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		acknowledged, lines := 0, bufio.NewScanner(out)
		for lines.Scan() {
			if _, err := fmt.Sscan(lines.Text(), &acknowledged); err != nil {
				t.Fatalf("it said %q", lines.Text())
			}
			if acknowledged == 20+17*round {
				_ = c.Process.Kill()
			}
		}
		_ = c.Wait() // "signal: killed"
		if acknowledged < 20 || c.ProcessState.Exited() {
			t.Fatalf("%d changes, %v: the test shows nothing", acknowledged, c.ProcessState)
		}
		s, err := store.Open(t.Context(), dir, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		tl := open(t, s.Timeline(), timeline.Options{})
		page, err := tl.Page(t.Context(), timeline.Query{Kinds: []string{core.MomentAlert}, Limit: 500})
		if err != nil || len(page.Entries) == 0 {
			t.Fatal(page, err)
		}
		var newest int
		_, _ = fmt.Sscan(page.Entries[0].Detail, &newest)
		if newest < acknowledged {
			t.Errorf("%d changes were acknowledged, the timeline ends with %d", acknowledged, newest)
		}
		for i := 1; i < newest; i++ {
			if want := fmt.Sprint(newest - i); page.Entries[i].Detail != want {
				t.Fatalf("entry %d is %+v, want change %s", i, page.Entries[i], want)
			}
		}
		spoken, err := tl.Page(t.Context(), timeline.Query{Kinds: []string{core.MomentTransmission}, Limit: 500})
		if err != nil || len(spoken.Entries) < newest || !spoken.Entries[0].Cut {
			t.Errorf("%d transmissions have ended of %d, %v", len(spoken.Entries), newest, err)
		}
		tl.Close()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
