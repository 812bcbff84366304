package parity

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"squelch/core/wire"
	"squelch/wasm/host"
	"squelch/wasm/sim"
)

// commands is how many commands the simulation throws at each build.
const commands = 10_000

// TestEveryBuildIsTheSameRadio runs every scenario file, a day's traffic and a morning
// of requests on the core natively, under wazero and in Chromium: every answer, and the
// hash of the state after each block, is the same.
func TestEveryBuildIsTheSameRadio(t *testing.T) {
	runs := append(stories(t), traffic(t), requests(t))
	ctx := t.Context()
	module := compiled(t)
	var browsed []Browsed
	var failed error
	var browser sync.WaitGroup
	browser.Go(func() { browsed, failed = Chromium(ctx, module.path, plain(runs)) })
	defer browser.Wait()
	foreign, err := Wazero(ctx, module.core, plain(runs))
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range runs {
		same(t, r.Run, r.native, foreign[i])
	}
	if browser.Wait(); failed != nil {
		t.Fatal(failed)
	}
	if len(browsed) != len(runs) {
		t.Fatalf("Chromium told %d of %d stories", len(browsed), len(runs))
	}
	for i, b := range browsed {
		native := runs[i].native
		last := string(native[len(native)-1])
		if b.Name != runs[i].Name || b.Last != last {
			t.Errorf("%s ends in Chromium with\n%s\nnatively with\n%s", b.Name, b.Last, last)
		}
		for n, d := range Digest(native) {
			if n >= len(b.Digest) || b.Digest[n] != d {
				t.Fatalf("%s: Chromium answers differently between calls %d and %d", b.Name, n*Stretch, (n+1)*Stretch)
			}
		}
	}
}

// answered is a run, and what the core in this process answered.
type answered struct {
	Run
	native [][]byte
}

func answer(t *testing.T, r Run) answered {
	t.Helper()
	native, err := Native(r)
	if err != nil {
		t.Fatal(err)
	}
	return answered{r, native}
}

func plain(runs []answered) []Run {
	all := make([]Run, len(runs))
	for i, r := range runs {
		all[i] = r.Run
	}
	return all
}

func same(t *testing.T, r Run, native, foreign [][]byte) {
	t.Helper()
	if len(native) != len(foreign) || len(native) == 0 {
		t.Fatalf("%s: %d answers natively, %d under wazero", r.Name, len(native), len(foreign))
	}
	for i := range native {
		if !bytes.Equal(native[i], foreign[i]) {
			t.Fatalf("%s, call %d: %s %s\nnatively: %s\nwazero:   %s", r.Name, i, r.Calls[i].Function, r.Calls[i].In, native[i], foreign[i])
		}
	}
}

type built struct {
	path string
	core *host.Core
}

func compiled(t *testing.T) built {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path, err := BuildCompiled(t.Context(), root, dir)
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := host.Compile(t.Context(), wasm, host.Options{Cache: Cache(dir)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return built{path, c}
}

// stories are the core's scenario files. Each is run first and compared with its
// transcript, so that the calls that are compared between builds are those of the
// story.
func stories(t *testing.T) []answered {
	t.Helper()
	files, err := filepath.Glob("../../core/testdata/*.txt")
	if err != nil || len(files) < 38 {
		t.Fatalf("found %d scenario files (%v)", len(files), err)
	}
	var runs []answered
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		run, transcript, states, err := Story(filepath.Base(file), string(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if strings.TrimRight(transcript, "\n") != strings.TrimRight(string(text), "\n") {
			t.Errorf("%s: the transcript differs from the file", file)
		}
		told := answer(t, run)
		var hashed []string
		for i, c := range run.Calls {
			if c.block {
				hashed = append(hashed, hashes(t, told.native[i]).State)
			}
		}
		if len(states) == 0 || !slices.Equal(hashed, states) {
			t.Errorf("%s: the calls lead to other states than the story", file)
		}
		runs = append(runs, told)
	}
	return runs
}

func hashes(t *testing.T, answer []byte) sim.Hashes {
	t.Helper()
	var h sim.Hashes
	if err := json.Unmarshal(answer, &h); err != nil || len(h.State) != 64 || len(h.Config) != 64 || len(h.Transcript) != 64 {
		t.Fatalf("no hashes: %s (%v)", answer, err)
	}
	return h
}

// traffic is a day's traffic. It fails if something did not happen often enough for the
// comparison to mean anything.
func traffic(t *testing.T) answered {
	t.Helper()
	run, err := Traffic(5, commands+commands/10) // some only let time pass
	if err != nil {
		t.Fatal(err)
	}
	day := answer(t, run)
	told, accepted, refused := map[string]int{}, map[string]int{}, map[string]int{}
	states := map[string]bool{}
	for i, c := range run.Calls {
		switch c.Function {
		case "hash":
			states[hashes(t, day.native[i]).State] = true
		case "command":
			count(t, c, day.native[i], told, accepted, refused)
		}
	}
	for _, typ := range wire.Commands() {
		if accepted[typ.Name()] < 3 {
			t.Errorf("%s was accepted %d and refused %d times", typ.Name(), accepted[typ.Name()], refused[typ.Name()])
		}
	}
	for name, least := range map[string]int{"talkingState": 1000, "ptt:denied": 40, "patchStatus": 30, "serverTone": 50,
		"speakerJoined": 500, "listenerJoined": 50, "channelDeleted": 50, "dispatchNotification": 200, "configUpdate": 20} {
		if told[name] < least {
			t.Errorf("%s was told %d times, want at least %d", name, told[name], least)
		}
	}
	thrown := 0
	for name := range accepted {
		if name != "" {
			thrown += accepted[name] + refused[name]
		}
	}
	if thrown < commands || accepted[""] < 500 || len(states) < commands/300 {
		t.Errorf("%d commands, %d ticks, %d different states", thrown, accepted[""], len(states))
	}
	return day
}

func count(t *testing.T, c Call, answer []byte, told, accepted, refused map[string]int) {
	t.Helper()
	var o wire.Order
	var a host.Answer
	if err := json.Unmarshal(c.In, &o); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatal(err)
	}
	name := ""
	if o.Command != nil {
		name = reflect.TypeOf(o.Command).Name()
	}
	if a.Error == nil {
		accepted[name]++
	} else {
		refused[name]++
	}
	for _, m := range a.Messages {
		told[m.Name]++
	}
}
