package store

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// With these options old records and snapshots are removed often, so that kills hit
// removals too.
var writerOptions = Options{
	Logf:          func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) },
	AuditMaxBytes: 60_000,
}

// writeUntilKilled is the child process: three writers that report every
// acknowledged write on standard output, one line each, and never stop.
func writeUntilKilled(dir string) {
	ctx := context.Background()
	s, err := Open(ctx, dir, writerOptions)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	say := func(kind string, n int, err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, kind, n, err)
			os.Exit(1)
		}
		fmt.Fprintf(os.Stdout, "%s %d\n", kind, n)
	}
	fmt.Println("open 0")
	_, last := s.Audit().Bounds()
	snapshot, _, err := s.LatestSnapshot(ctx)
	say("open", 1, err)
	go func() {
		for n := int(last) + 1; ; n += 3 {
			_, err := s.Audit().Append(ctx, auditRecord(n), auditRecord(n+1), auditRecord(n+2))
			say("audit", n+2, err)
		}
	}()
	go func() {
		for n := int(snapshot.Number) + 1; ; n++ {
			say("snapshot", n, s.SaveSnapshot(ctx, Snapshot{Number: uint64(n), Data: snapshotOf(n)}))
		}
	}()
	for n := sessionCount(s) + 1; ; n++ {
		// One key counts, another comes and goes.
		err := s.Sessions().Change(ctx, map[string][]byte{"count": fmt.Append(nil, n), fmt.Sprint(n): nil}, []string{fmt.Sprint(n - 1)})
		say("session", n, err)
	}
}

func auditRecord(n int) []byte { return fmt.Appendf(nil, "entry %d %s", n, strings.Repeat("x", n%300)) }

// snapshotOf returns a snapshot that is now and then several parts long.
func snapshotOf(n int) []byte {
	size := 1000
	if n%25 == 0 {
		size = snapshotPart + n
	}
	return bytes.Repeat([]byte{byte(n)}, size)
}

func sessionCount(s *Store) (n int) {
	value, _ := s.Sessions().Get("count")
	_, _ = fmt.Sscan(string(value), &n) // none yet: 0
	return n
}

// runWriter runs the child and kills it after it has reported lines writes, or
// after delay while it is still opening. It returns what was acknowledged.
func runWriter(t *testing.T, dir string, lines int, delay time.Duration) map[string]int {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "SQUELCH_STORE_WRITER="+dir)
	var complaints bytes.Buffer
	child.Stderr = &complaints
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	var once sync.Once
	kill := func() { once.Do(func() { _ = child.Process.Kill() }) }
	if lines == 0 {
		defer time.AfterFunc(delay, kill).Stop()
	}
	acknowledged := map[string]int{}
	reader := bufio.NewReader(out)
	for count := 0; ; count++ {
		if lines > 0 && count == lines {
			kill() // and read what was still in the pipe
		}
		line, err := reader.ReadString('\n')
		if err == io.EOF {
			break
		}
		must(t, err)
		var kind string
		var n int
		if _, err := fmt.Sscan(line, &kind, &n); err != nil {
			t.Fatalf("the writer said %q", line)
		}
		acknowledged[kind] = n
	}
	_ = child.Wait() // "signal: killed"
	if child.ProcessState.Exited() {
		t.Fatalf("the writer ended by itself: %v\n%s", child.ProcessState, complaints.String())
	}
	return acknowledged
}

func TestWhateverWasAcknowledgedSurvivesAKill(t *testing.T) {
	const rounds = 10
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 460_250))
	acknowledged := map[string]int{}
	for round := range rounds {
		lines := 1 + random.IntN(220)
		if round%4 == 3 {
			lines = 0 // while opening
		}
		for kind, n := range runWriter(t, dir, lines, time.Duration(random.IntN(60))*time.Millisecond) {
			acknowledged[kind] = max(acknowledged[kind], n)
		}
		if round%3 == 1 {
			continue // the next writer opens what the kill left
		}
		checkSurvivors(t, dir, acknowledged)
	}
	for _, kind := range []string{"audit", "snapshot", "session"} {
		if acknowledged[kind] < 50 {
			t.Errorf("only %d writes of %s were made: the test shows nothing", acknowledged[kind], kind)
		}
	}
	t.Log(acknowledged)
}

func checkSurvivors(t *testing.T, dir string, acknowledged map[string]int) {
	t.Helper()
	s := openWith(t, dir, writerOptions)
	defer closeStore(t, s)
	first, records, err := s.Audit().Read(t.Context(), 1, 1<<20)
	must(t, err)
	if last := int(first) + len(records) - 1; last < acknowledged["audit"] {
		t.Errorf("audit ends at %d, %d was acknowledged", last, acknowledged["audit"])
	}
	for i, record := range records {
		if want := auditRecord(int(first) + i); !bytes.Equal(record, want) {
			t.Fatalf("audit record %d is %q, want %q", int(first)+i, record, want)
		}
	}
	snapshot, _, err := s.LatestSnapshot(t.Context())
	must(t, err)
	if n := int(snapshot.Number); n < acknowledged["snapshot"] || n > 0 && !bytes.Equal(snapshot.Data, snapshotOf(n)) {
		t.Errorf("snapshot %d of %d bytes, %d was acknowledged", n, len(snapshot.Data), acknowledged["snapshot"])
	}
	n := sessionCount(s)
	if n < acknowledged["session"] {
		t.Errorf("sessions end at %d, %d was acknowledged", n, acknowledged["session"])
	}
	if all := s.Sessions().All(); n > 0 && len(all) != 2 {
		t.Errorf("sessions hold %d keys instead of two", len(all))
	}
}

// A kill can hit NATS while it writes an index. That loses nothing: everything of
// value is in the records.
func TestATornIndexAfterAKillIsMadeAnew(t *testing.T) {
	dir, _ := used(t, 5000)
	index := filepath.Join(dir, storeName, "jetstream", "$G", "streams", "audit", "msgs", "index.db")
	must(t, os.Remove(filepath.Join(dir, storeName, sealName)))
	for _, torn := range []string{"", "half of an ind"} {
		must(t, os.WriteFile(index, []byte(torn), 0o600))
		s := open(t, dir)
		if _, records, err := s.Audit().Read(t.Context(), 1, 99); err != nil || len(records) != 30 {
			t.Errorf("%d records of 30: %v", len(records), err)
		}
		closeStore(t, s)
		must(t, os.Remove(filepath.Join(dir, storeName, sealName)))
	}
}
