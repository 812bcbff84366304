package recordings

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	var round int
	if dir := os.Getenv("SQUELCH_RECORDINGS_WRITER"); dir != "" {
		_, _ = fmt.Sscan(os.Getenv("SQUELCH_RECORDINGS_ROUND"), &round)
		recordUntilKilled(dir, round)
	}
	os.Exit(m.Run())
}

// recordUntilKilled is the child process: four talkers whose bursts get texts and
// waveforms, and are deleted again, while the index is rewritten. What it has done, and
// what it is about to delete, it reports on standard output. It never stops.
func recordUntilKilled(dir string, round int) {
	say := func(what, id string, n int, err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, what, id, err)
			os.Exit(1)
		}
		fmt.Fprintf(os.Stdout, "%s %s %d\n", what, id, n)
	}
	s, err := Open(dir, Options{Logf: func(f string, args ...any) { fmt.Fprintf(os.Stderr, f+"\n", args...) }})
	say("open", "-", round, err)
	go s.Watch(nil)
	go func() {
		for {
			if err := s.compact(); err != nil {
				say("compact", "-", 0, err)
			}
			time.Sleep(3 * time.Millisecond)
		}
	}()
	for talker := range 4 {
		go func() {
			var kept []string
			for n := talker; ; n += 4 {
				e := entry(round*100_000+n, noon+int64(round*100_000+n)*1000)
				b, err := s.Create(e)
				say("create", e.ID, 0, err)
				length := rand.IntN(60) + 1
				for i := range length {
					err := b.WriteOpus(voice[i%len(voice)], 0)
					if talker%2 == 0 {
						err = errors.Join(err, b.WriteIMBE(make([]byte, frameBytes)))
					}
					if err != nil || i%5 == 4 {
						say("voice", e.ID, i+1, err)
					}
				}
				say("done", e.ID, length, b.Done(e))
				say("text", e.ID, length, errors.Join(s.SetText(e.ID, textOf(length)), s.SetPeaks(e.ID, []byte{1, 2, 3})))
				if kept = append(kept, e.ID); len(kept) > 2 {
					id := kept[0]
					kept = kept[1:]
					say("deleting", id, 0, nil)
					if n%3 == 0 {
						_, _, err = s.Delete(context.Background(), id)
					} else { // as retention does
						i, _ := s.inMemory(id)
						_, _, err = s.remove(context.Background(), []*record{i})
					}
					say("deleted", id, 0, err)
				}
			}
		}()
	}
	select {}
}

// inMemory finds a recording as it is in memory.
func (s *Shelf) inMemory(id string) (*record, bool) {
	k, _ := parseID(id)
	s.mu.RLock()
	defer s.mu.RUnlock()
	i, ok := s.find(k)
	return s.list[i], ok
}

func textOf(n int) string { return fmt.Sprintf("%d packets were said", n) }

// runTalkers runs the child and kills it after it has reported this many lines, or after
// delay while it is still opening. It notes what was reported.
func runTalkers(t *testing.T, dir string, round, lines int, delay time.Duration, heard map[string]map[string]int) {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "SQUELCH_RECORDINGS_WRITER="+dir, fmt.Sprint("SQUELCH_RECORDINGS_ROUND=", round))
	var complaints bytes.Buffer
	child.Stderr = &complaints
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	var once sync.Once
	kill := func() { once.Do(func() { _ = child.Process.Kill() }) }
	defer kill()
	if lines == 0 {
		defer time.AfterFunc(delay, kill).Stop()
	}
	in := bufio.NewReader(out)
	for count := 0; ; count++ {
		if lines > 0 && count == lines {
			kill() // and read what was still in the pipe
		}
		text, err := in.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		var what, id string
		var n int
		if _, err := fmt.Sscan(text, &what, &id, &n); err != nil {
			t.Fatalf("the child said %q", text)
		}
		if heard[what] == nil {
			heard[what] = map[string]int{}
		}
		heard[what][id] = n
	}
	_ = child.Wait() // "signal: killed"
	if child.ProcessState.Exited() {
		t.Fatalf("the child ended by itself: %v\n%s", child.ProcessState, complaints.String())
	}
}

func TestIndexAndFilesAgreeAfterEveryKill(t *testing.T) {
	const rounds = 12
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 460_250))
	heard := map[string]map[string]int{}
	cuts := 0
	enough := func() bool { return cuts > 0 && len(heard["done"]) >= 100 && len(heard["deleted"]) >= 50 }
	for round := 0; round < rounds || !enough() && round < 10*rounds; round++ { // on a slow disk a kill rarely meets a talk
		lines := 1 + random.IntN(700)
		if round%4 == 3 {
			lines = 0 // while opening
		}
		runTalkers(t, dir, round, lines, time.Duration(random.IntN(80))*time.Millisecond, heard)
		if round%3 == 1 {
			continue // the next child opens what the kill left
		}
		cuts += checkShelf(t, dir, heard)
	}
	if !enough() {
		t.Errorf("%d were cut off, %d done, %d deleted: the test shows nothing", cuts, len(heard["done"]), len(heard["deleted"]))
	}
	t.Log(cuts, "cut off,", len(heard["done"]), "done,", len(heard["deleted"]), "deleted")
}

// checkShelf compares the shelf with what was reported, and its entries with the files.
func checkShelf(t *testing.T, dir string, heard map[string]map[string]int) (cuts int) {
	t.Helper()
	s, err := Open(dir, Options{Logf: t.Logf})
	must(t, err)
	defer s.Close()
	for id, packets := range heard["done"] {
		e, ok := s.Get(id)
		if _, going := heard["deleting"][id]; going {
			if _, gone := heard["deleted"][id]; gone && ok {
				t.Errorf("%s was deleted and is back", id)
			}
			continue
		}
		if !ok || e.Cut || e.Packets != packets || e.VoiceMs != int64(packets)*20 || e.Name != "Jane Doe" {
			t.Errorf("%s was done with %d packets, and is %v %+v", id, packets, ok, e)
		}
		if n, said := heard["text"][id]; said && (e.Text != textOf(n) || len(e.Peaks) != 3) {
			t.Errorf("%s has the text %q and %d peaks", id, e.Text, len(e.Peaks))
		}
	}
	for id, packets := range heard["voice"] {
		if _, done := heard["done"][id]; done {
			continue
		}
		// The last 240 ms may be lost, and one packet may be in the file unreported.
		e, ok := s.Get(id)
		if e.Packets < packets-12 || !ok && packets > 12 {
			t.Errorf("%d packets of %s were written, and %d are left", packets, id, e.Packets)
		}
		if ok && e.Cut {
			cuts++
		}
	}
	files := map[string]bool{}
	for _, name := range tree(t, dir) {
		if strings.Contains(name, "tx-") {
			files[name] = true
		}
	}
	for _, id := range s.Match(Query{}) {
		e, _ := s.Get(id)
		k, _ := parseID(id)
		if e.Frequency != 154_755_000 || e.Unit != "1-Adam-12" || e.User != 7 || e.End < e.Start {
			t.Errorf("the entry is %+v", e)
		}
		if e.Format == Ogg {
			if ms, packets := play(t, s, id); ms != e.VoiceMs || packets != e.Packets {
				t.Errorf("%s plays for %d ms with %d packets, and has %d and %d", id, ms, packets, e.VoiceMs, e.Packets)
			}
		}
		for _, kind := range kinds {
			if size := e.sizeOf(kind); size > 0 {
				info, err := os.Stat(s.dir + "/" + k.file(kind))
				if err != nil || info.Size() != size {
					t.Errorf("%s should have %d bytes: %v", k.file(kind), size, err)
				}
				delete(files, k.file(kind))
			}
		}
	}
	if len(files) > 0 {
		t.Errorf("%d files belong to no entry: %v", len(files), files)
	}
	return cuts
}
