package sandbox

import (
	"strings"
	"testing"
	"time"
)

// short is the limit of a run that does not end by itself.
const short = 3 * time.Second

// TestWhatDoesNotEnd: whatever a script does, the run ends in time with a verdict that
// says what it was, and the next theme runs.
func TestWhatDoesNotEnd(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   Verdict
		says   string
	}{
		"a loop":                  {"let n = 0;\nwhile (true) n++;", Slow, "it does not come to an end: theme.js line 2"},
		"a loop that catches":     {"for (;;) { try { for (;;) {} } catch {} finally { continue } }", Slow, "theme.js line 1"},
		"a loop in a callback":    {"dispatch.on('dispatch:zones', () => { while (true); });", Slow, "theme.js line 1"},
		"a loop in a timer":       {"setTimeout(() => {\n  let n = 0;\n  for (;;) n++;\n}, 10);", Slow, "theme.js line 3"},
		"a loop at the end":       {"onUnmount(() => { for (;;); });", Slow, "theme.js line 1"},
		"promises without end":    {"(function again() { Promise.resolve().then(again); })();", Slow, ""},
		"async without end":       {"(async () => { for (;;) await null; })();", Slow, ""},
		"a regular expression":    {"/^(a+)+\\1b$/.test('a'.repeat(40));", Slow, "could not be interrupted"},
		"a sort":                  {"[3, 2, 1].sort(() => { for (;;); });", Slow, "theme.js line 1"},
		"a getter":                {"JSON.stringify({ get x() { for (;;); } });", Slow, "theme.js line 1"},
		"a proxy's trap":          {"for (const k in new Proxy({}, { ownKeys: () => { for (;;); } }));", Slow, "theme.js line 1"},
		"text without end":        {"let s = 'x'; for (;;) s += s;", Large, "more than 512 MB"},
		"one large text":          {"const all = []; for (;;) all.push('x'.repeat(1 << 28) + all.length);", Large, "more than 512 MB"},
		"padding":                 {"const all = []; for (;;) all.push('x'.padStart(1 << 28) + all.length);", Large, "more than 512 MB"},
		"a list without end":      {"const all = []; for (;;) all.push({ all });", Large, "more than 512 MB"},
		"typed arrays":            {"const all = []; for (;;) all.push(new Uint8Array(1 << 26).fill(1));", Large, "more than 512 MB"},
		"elements without end":    {"const box = theme.getContainer(); for (;;) box.append(document.createElement('p'));", Large, "more than 512 MB"},
		"recursion":               {"(function f() { f(); })();", Failed, "calls itself without end"},
		"recursion in a callback": {"const f = () => [1].map(f); f();", Failed, "calls itself without end"},
		"recursion by JSON":       {"const o = { toJSON() { return JSON.stringify(o); } }; JSON.stringify(o);", Failed, "calls itself without end"},
	} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			limit := short
			if c.want != Slow {
				limit = ample
			}
			test := "" // the standard scenario
			if strings.Contains(c.script, "onUnmount") {
				test = "test('ends soon', () => {});"
			}
			r := run(t, theme(t, c.script, test), limit)
			if r.Verdict != c.want || !strings.Contains(r.Why, c.says) {
				t.Errorf("%s: %s, want %s: …%s…", r.Verdict, r.Why, c.want, c.says)
			}
			// Ten times the limit is enough for the slowest machine to start and to kill.
			if took := time.Since(began); took > 10*limit {
				t.Errorf("it took %s", took)
			}
		})
	}
	if r := run(t, theme(t, "theme.addClass('well');", ""), ample); r.Verdict != OK {
		t.Errorf("the next theme: %s: %s", r.Verdict, r.Why)
	}
}

// TestWhatSaysTooMuch: the transcript has an end, whatever is written.
func TestWhatSaysTooMuch(t *testing.T) {
	r := run(t, theme(t, "for (let i = 0; i < 20000; i++) console.log('x'.repeat(10000));", ""), ample)
	all := lines(t, r)
	if r.Verdict != OK || len(all) > 5100 || len(all[10]) > 600 {
		t.Errorf("%s: %s, %d entries", r.Verdict, r.Why, len(all))
	}
	has(t, r, "there is more than the 5000 entries")
}

// TestNoWayOut: there is nothing to get hold of, and what looks like it ends only the
// theme.
func TestNoWayOut(t *testing.T) {
	r := run(t, theme(t, `
		const names = ["process", "require", "Deno", "Bun", "fetch", "XMLHttpRequest", "WebSocket", "Worker", "importScripts", "host", "go", "java"];
		console.log("found: " + names.filter((n) => globalThis[n] !== undefined).join(" "));
		console.log("global: " + Object.keys(Function("return this")()).filter((n) => /host|core|wasm|file|exec/i.test(n)).join(" "));
	`, ""), ample)
	has(t, r, "console   found:", "console   global:")
	for _, l := range lines(t, r) {
		if strings.HasPrefix(l, "console") && !strings.HasSuffix(l, ":") {
			t.Error(l)
		}
	}
	for name, script := range map[string]string{
		"an exit":            "process.exit(0)",
		"no sandbox":         "squelchSandbox = null; delete globalThis.squelchSandbox; theme.addClass('x');",
		"no promises":        "Promise = null; globalThis.setTimeout = null; theme.addClass('x');",
		"no console":         "console = null; JSON.stringify = null;",
		"no globals":         "for (const k of Object.getOwnPropertyNames(globalThis)) { try { delete globalThis[k] } catch {} }",
		"a throw":            "throw null",
		"an exploding error": "const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { throw e } }); throw e",
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Run(t.Context(), theme(t, script, ""), Options{Process: process, Time: short, Cache: cache})
			if err != nil || r.Verdict == "" {
				t.Fatalf("%v", err)
			}
			t.Log(r.Verdict, r.Why)
		})
	}
}
