package replaycmd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"squelch/core"
	"squelch/core/scenario"
	"squelch/core/wire"
	"squelch/server/replaycmd/journal"
)

// shift is a short journal: unit 12 talks, a busy dispatcher is refused, and the
// time-out timer ends what nobody released.
func shift(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "shift.jsonl")
	state, err := core.New(scenario.Standard())
	if err != nil {
		t.Fatal(err)
	}
	r, err := journal.Create(path, "test", wire.Start{Config: *state.View().Config(), Data: state.Snapshot()}, t.Errorf)
	if err != nil {
		t.Fatal(err)
	}
	at := time.UnixMilli(1_700_000_000_000)
	do := func(by core.UserID, c core.Command) {
		at = at.Add(time.Second)
		actor := core.Actor{User: by, Surface: core.BySocket}
		_, refused := state.Step(at, actor, c)
		r.Write(journal.Step{Order: wire.Order{At: at.UnixMilli(), By: actor, Command: c}, Refused: refused != nil})
	}
	north, _ := core.ParseFrequency("154.755")
	do(12, core.Connect{Want: 12, Facts: core.Facts{Name: "Stra\xdfe"}})
	do(12, core.JoinAsSpeaker{User: 12, Frequency: north})
	do(12, core.KeyUp{User: 12})
	do(-1, core.KeyUp{User: -1, Frequency: north}) // not on the radio, so refused
	at = at.Add(time.Hour)
	state.Tick(at)
	r.Write(journal.Step{Order: wire.Order{At: at.UnixMilli()}})
	if err := r.Close(state); err != nil {
		t.Fatal(err)
	}
	return path
}

func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cmd := Command()
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	err := cmd.ExecuteContext(t.Context())
	return out.String(), err
}

// TestReplayTellsTheState: in words and as JSON.
func TestReplayTellsTheState(t *testing.T) {
	path := shift(t)
	text, err := run(t, path)
	if err != nil || !strings.Contains(text, "4 commands (1 refused), 1 ticks\nstate  ") || !strings.HasSuffix(text, "\nthe same as in the journal\n") {
		t.Fatalf("%v\n%s", err, text)
	}
	text, err = run(t, "--json", path)
	var r Result
	if err != nil || json.Unmarshal([]byte(text), &r) != nil || len(r.State) != 64 || len(r.Config) != 64 || !r.Same {
		t.Fatalf("%v\n%s", err, text)
	}
}

// TestAnotherEndIsFound: a journal with one changed command ends in another state.
func TestAnotherEndIsFound(t *testing.T) {
	path := shift(t)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(b, []byte(`"Frequency":"154.755"`), []byte(`"Frequency":"154.815"`), 1)
	if bytes.Equal(b, changed) {
		t.Fatal("nothing to change was found")
	}
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := run(t, path)
	if err == nil || !strings.Contains(text, "NOT the same") {
		t.Fatalf("%v\n%s", err, text)
	}
}

// TestCutOffJournal: that of a service that was killed.
func TestCutOffJournal(t *testing.T) {
	path := shift(t)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(b, []byte("\n"))
	if err := os.WriteFile(path, bytes.Join(lines[:4], nil)[:len(bytes.Join(lines[:4], nil))-9], 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := run(t, path)
	if err != nil || !strings.Contains(text, "2 commands") || !strings.Contains(text, "cut off") {
		t.Fatalf("%v\n%s", err, text)
	}
}

// TestWhatCannotBePlayed is named.
func TestWhatCannotBePlayed(t *testing.T) {
	path := shift(t)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ content, says string }{
		{"", "it is empty"},
		{"hello\n", "this is not a journal"},
		{"{}\n", "its first line has no journal header"},
		{`{"squelch":"journal","version":9}` + "\n", "has version 9; this program reads 1"},
		{`{"squelch":"journal","version":1,"start":{"config":{"panicTimeout":-1}}}` + "\n", "panicTimeout"},
		{strings.Replace(string(b), `"KeyUp"`, `"Explode"`, 1), "line 4: Unknown command Explode"},
		{strings.Replace(string(b), `{"at":170`, `"at":170`, 1), "line 2 is not JSON"},
		{strings.Replace(string(b), `"orders":5`, `"orders":6`, 1), "the end counts 6 steps, but there are 5"},
		{string(b) + "{}\n", "something follows the end"},
	} {
		if err := os.WriteFile(path, []byte(c.content), 0o600); err != nil {
			t.Fatal(err)
		}
		if text, err := run(t, path); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.60q: %v, want %q\n%s", c.content, err, c.says, text)
		}
	}
	if _, err := run(t, path+" of yesterday"); err == nil {
		t.Error("a file that is not there was played")
	}
	if _, err := run(t, "--wasm="+path+".wasm", shift(t)); err == nil || !strings.Contains(err.Error(), "just wasm") {
		t.Errorf("a module that is not there: %v", err)
	}
}
