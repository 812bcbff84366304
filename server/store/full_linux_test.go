package store

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// limitFiles makes every write beyond size bytes of a file fail, as on a full
// disk.
func limitFiles(t *testing.T, size uint64) {
	t.Helper()
	must(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: size, Max: unix.RLIM_INFINITY}))
}

func TestAFullDiskRefusesWritesAndLosesNothing(t *testing.T) {
	const inChild = "SQUELCH_STORE_FULL_DISK"
	if os.Getenv(inChild) == "" {
		// In a process of its own, because the limit applies to the whole process, and go
		// test writes files too.
		child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		child.Env = append(os.Environ(), inChild+"=yes")
		out, err := child.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "PASS: "+t.Name()) {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	signal.Ignore(unix.SIGXFSZ) // or the system would end the process
	defer signal.Reset(unix.SIGXFSZ)
	defer limitFiles(t, unix.RLIM_INFINITY)
	dir := t.TempDir()
	ctx := t.Context()
	s := open(t, dir)
	s.host.pause = 0
	record := make([]byte, 2000)
	acknowledged := 0
	appendUntil := func(count int) error {
		for acknowledged < count {
			if _, err := s.Audit().Append(ctx, record); err != nil {
				return err
			}
			acknowledged++
		}
		return nil
	}
	must(t, appendUntil(10))
	for round := range 3 {
		limitFiles(t, uint64(40_000*(round+1)))
		if err := appendUntil(1000); err == nil {
			t.Fatal("a full disk took a megabyte")
		}
		if _, err := s.Audit().Append(ctx, record); err == nil {
			t.Fatal("a full disk took another record")
		}
		// Small writes still work.
		must(t, s.Sessions().Put(ctx, fmt.Sprint(round), []byte("north")))
		if _, records, err := s.Audit().Read(ctx, 1, 10_000); err != nil || len(records) != acknowledged {
			t.Fatalf("%d records of %d can be read: %v", len(records), acknowledged, err)
		}
	}
	limitFiles(t, unix.RLIM_INFINITY)
	must(t, appendUntil(acknowledged+10))
	closeStore(t, s)
	s = open(t, dir)
	if _, last := s.Audit().Bounds(); int(last) != acknowledged || len(s.Sessions().All()) != 3 {
		t.Errorf("%d records of %d, %d sessions of 3", last, acknowledged, len(s.Sessions().All()))
	}
}
