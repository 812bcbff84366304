package webhook_test

import (
	"bufio"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"squelch/core"
	"squelch/core/wire"
	"squelch/server/config"
	"squelch/server/webhook"
)

const examples = "../../handbook/examples/webhooks/"

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestTheHandbooksReceivers: they take what is signed, once, refuse what is not, and the
// handbook shows their check.
func TestTheHandbooksReceivers(t *testing.T) {
	handbook := read(t, "../../handbook/webhooks.md")
	for program, file := range map[string]string{"node": "receiver.mjs", "python3": "receiver.py"} {
		source := read(t, examples+file)
		from := strings.Index(source, "match")
		if line := source[from : from+strings.Index(source[from:], "\n")]; !strings.Contains(handbook, line) {
			t.Errorf("the handbook does not have %s", line)
		}
		path, err := filepath.Abs(examples + file)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), program, path)
		cmd.Env = append(os.Environ(), "SQUELCH_SECRET="+secret, "PORT=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		next := func() string {
			if !lines.Scan() {
				t.Fatalf("%s has ended: %v", file, lines.Err())
			}
			return lines.Text()
		}
		url := next()
		w := newWorld(t)
		w.options.Now = nil // the receiver has the machine's clock
		w.begin(hookTo("cad", url))
		w.line.add(wire.TimelineEntry{Kind: core.MomentPanic, Name: "Änn", Frequency: "154.755", Detail: "one"})
		if got := next(); got != "panic panic Änn Dispatch one" {
			t.Errorf("%s: %q", file, got)
		}
		w.until("taken", func(s wire.WebhookState, _ []wire.DeadLetter) bool { return s.Sent == 1 })
		w.close()
		w.places.values["cad"] = []byte(`{"v":1,"seq":0}`) // a crash: it comes again
		w.begin(hookTo("cad", url))
		w.line.add(alert("two"))
		if got := next(); got != "alert alert  Dispatch two" {
			t.Errorf("%s: %q", file, got)
		}
		forged := hookTo("forged", url)
		forged.Secret = strings.Repeat("x", 32)
		w.close()
		w.begin(forged)
		if sent, err := w.desk.Test(t.Context(), "forged"); err != nil || sent.Status != http.StatusUnauthorized {
			t.Errorf("%s: %+v, %v", file, sent, err)
		}
		w.close()
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		_ = cmd.Wait()
	}
}

// TestTheHandbooksTemplate works for every event.
func TestTheHandbooksTemplate(t *testing.T) {
	path, err := filepath.Abs(examples + "cad.tmpl")
	if err != nil {
		t.Fatal(err)
	}
	h := hookTo("cad", "https://cad.example.org/")
	h.Template = path
	if wrong := webhook.Check([]config.Webhook{h}); len(wrong) > 0 {
		t.Errorf("%v", wrong)
	}
}

// TestTheHandbookNamesEverything: every event and every field.
func TestTheHandbookNamesEverything(t *testing.T) {
	handbook := read(t, "../../handbook/webhooks.md")
	for _, event := range config.WebhookEvents {
		if !strings.Contains(handbook, "\n| `"+event+"` | ") {
			t.Errorf("the handbook does not have the event %s", event)
		}
	}
	for _, field := range webhook.FieldNames() {
		if !strings.Contains(handbook, "`"+field+"`") {
			t.Errorf("the handbook does not have the field %s", field)
		}
	}
}
