package sandbox

import (
	"slices"
	"strings"
	"testing"
)

// TestOwnTests: a theme's tests run on a radio of their own each, and what does not
// hold is named.
func TestOwnTests(t *testing.T) {
	p := theme(t, lively, `
test("whoever talks is shown", async ({ radio, page, check }) => {
  await radio.do({ do: "talk", unit: 12, for: 3 });
  check.equal(page.text("h1"), "1-ADAM-12", "the callsign");
  await radio.wait(4);
  check.equal(page.text("h1"), "", "nobody");
  check.equal(page.variables, { "--sq-rx": "#145c8e" }, "variables");
  check(page.hidden, "hidden");
  check.equal(page.findAll("button").length, 1, "buttons");
  check(page.find(".nothing") === null && page.text(".nothing") === "", "nothing");
});

test("the key talks", async ({ radio, page, check }) => {
  page.press(".talk");
  await radio.wait(1);
  check.equal(radio.state().pttActive, true, "on air");
  check.equal(page.text("h1"), "DISPATCH", "the own callsign");
  page.release(".talk");
  await radio.wait(1);
  check.equal(radio.state().voiceStatus, "LISTENING", "over");
  check.equal(page.actions, ["startPTT()", "stopPTT()"], "actions");
  check.equal(radio.state().channel, "154.755", "the channel");
});

test("a lost link", async ({ radio, page, check }) => {
  await radio.do({ do: "link", down: 5 });
  await radio.wait(1);
  check.equal(page.classes, ["faded"], "classes");
});`)
	r := run(t, p, ample)
	if r.Verdict != OK || len(r.Tests) != 3 || !r.Tests[2].OK {
		t.Fatalf("%s: %s %v\n%s", r.Verdict, r.Why, r.Tests, strings.Join(lines(t, r), "\n"))
	}
	has(t, r, "action    startPTT()", "test      the key talks → passed", `radio     unit 12: {"do":"talk","for":3}`)
}

// TestWhatATestFinds is told with the line of the theme's own file.
func TestWhatATestFinds(t *testing.T) {
	for name, c := range map[string]struct{ script, test, why, says string }{
		"a check": {"", `test("a", ({ check }) => { check(1 > 2, "one is more"); check.equal([1], [2], "lists"); });`,
			`the test "a" fails: one is more`, "check     lists: got [1], want [2]"},
		"a throw in the test": {"", "\n\ntest('a', async ({ radio }) => {\n  await radio.wait(1);\n  none();\n});",
			`the test "a" fails: ReferenceError: none is not defined`, "(theme.test.js line 5)"},
		"nothing to click": {"", `test("a", ({ page }) => page.click(".x"));`,
			`the test "a" fails: Absent: nothing in the container matches ".x"`, ""},
		"a disabled button": {"theme.getContainer().innerHTML = '<button disabled>x</button>';", `test("a", ({ page }) => page.click("button"));`,
			`is disabled`, ""},
		"a misspelt deed": {"", "\ntest('a', async ({ radio }) => {\n  await radio.wait(1);\n  await radio.do({ do: 'tolk', unit: 12 });\n});",
			`unknown deed "tolk"; did you mean "talk"?`, "(theme.test.js line 4)"},
		"a deed without its field": {"", "test('a', async ({ radio }) => {\n  await radio.do({ do: 'talk', unit: 12 });\n});",
			`talk.for: is missing`, "(theme.test.js line 2)"},
		"no deed":            {"", `test("a", ({ radio }) => radio.do("talk"));`, "a deed must be an object", ""},
		"an unknown unit":    {"", `test("a", ({ radio }) => radio.do({ do: "talk", unit: 99, for: 1 }));`, "Unknown unit 99", ""},
		"no test":            {"", "// nothing yet", "theme.test.js has no test", "-"},
		"no name":            {"", "test(() => {})", "throws before the first test", `want test("name", function)`},
		"a wait for nothing": {"", `test("a", () => new Promise(() => {}));`, "it waits for something that does not happen", ""},
		"the theme's timer": {"setTimeout(() => {\n  throw new Error('late');\n}, 500);", `test("a", ({ radio }) => radio.wait(1));`,
			`the theme throws during the test "a"`, "error     a timer or promise: Error: late (theme.js line 2)"},
		"the theme's promise": {"async function f() {\n  throw new TypeError('later');\n}\nf();", `test("a", ({ radio }) => radio.wait(1));`,
			`the theme throws during the test "a"`, "TypeError: later (theme.js line 2)"},
		"the theme's callback": {"dispatch.on('dispatch:channel', ({ freq }) => {\n  if (freq === '154.28') throw new Error(freq);\n});",
			`test("a", async ({ radio }) => { await radio.do({ do: "link", down: 1 }); });`, "", ""},
		"the theme's listener": {"const b = theme.getContainer();\nb.innerHTML = '<button>x</button>';\nb.querySelector('button').onclick = null;\nb.firstChild.addEventListener('click', () => {\n  throw new Error('clicked');\n});",
			`test("a", ({ page }) => page.click("button"));`, `the theme throws during the test "a"`, "error     a listener: Error: clicked (theme.js line 5)"},
		"the start": {"\n\nnull.x;", `test("a", () => {});`, `the test "a" fails: the theme throws at its start`, "(theme.js line 3)"},
		"a warning": {"dispatch.joinChannel('999');\ntheme.setVar('color', 'red');", `test("a", ({ page, check }) => check.equal(page.variables, {}, "none"));`, "", `warning   dispatch.joinChannel: there is no channel "999"`},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, theme(t, c.script, c.test), ample)
			if (r.Verdict == OK) != (c.why == "") || !strings.Contains(r.Why, c.why) {
				t.Errorf("%s: %s, want …%s…\n%s", r.Verdict, r.Why, c.why, strings.Join(lines(t, r), "\n"))
			}
			if c.says != "-" { // nothing has happened at all
				has(t, r, c.says)
			}
		})
	}
}

// TestOfflineIsNotBroken: what browsers know and the sandbox lacks is told apart from
// mistakes.
func TestOfflineIsNotBroken(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		want   Verdict
		says   string
	}{
		"an async generator":    {"\nasync function* g() {}", Offline, "theme.js line 2"},
		"for await":             {"(async () => {\n  for await (const x of []) {}\n})();", Offline, "theme.js line 2"},
		"a syntax error":        {"const a = 1;\nlet let = ;", Failed, "theme.js line 2"},
		"an import":             {"import x from './x.js';", Failed, "theme.js line 1"},
		"two of a name":         {"let a;\nlet a;", Failed, "theme.js line 2"},
		"fetch":                 {"fetch('data.json');", Offline, "it uses fetch"},
		"sound":                 {"new Audio('x.ogg').play();", Offline, "it uses Audio"},
		"a canvas":              {"document.createElement('canvas').getContext('2d').fillRect(0, 0, 1, 1);", Offline, "getContext"},
		"a dialog":              {"const d = document.createElement('dialog'); theme.getContainer().append(d); d.showModal();", Offline, "showModal"},
		"dates":                 {"new Intl.DateTimeFormat('en', { hour: '2-digit' }).format(new Date());", Offline, "DateTimeFormat"},
		"the place":             {"navigator.geolocation.getCurrentPosition(() => {});", Offline, "getCurrentPosition"},
		"the clipboard":         {"navigator.clipboard.writeText('x');", Offline, "writeText"},
		"a battery":             {"navigator.getBattery();", Offline, "getBattery"},
		"an event":              {"new PointerEvent('pointerdown');", Offline, "PointerEvent"},
		"storage":               {"localStorage.setItem('a', 1); if (localStorage.getItem('a') !== '1') throw 1;", OK, ""},
		"a misspelt name":       {"fetsch('data.json');", Failed, "throws at its start"},
		"a misspelt function":   {"dispatch.joinChanel('1');", Failed, "throws at its start"},
		"looked for and absent": {"if (typeof AudioContext === 'function') new AudioContext(); if (window.fetch) fetch('x');", OK, ""},
		"a newer syntax":        {"class A { #x = 1; static { A.y = 2; } get x() { return this.#x ?? A?.y; } }\nif (new A().x !== 1) throw 1;", OK, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, theme(t, c.script, ""), ample)
			if r.Verdict != c.want || !strings.Contains(r.Why, c.says) {
				t.Errorf("%s: %s, want %s: …%s…", r.Verdict, r.Why, c.want, c.says)
			}
		})
	}
}

// TestNothingIsLeft of a theme after its end, and what is its own to end is named.
func TestNothingIsLeft(t *testing.T) {
	messy := `
setInterval(() => {}, 1000);
setTimeout(() => {}, 1e9);
addEventListener("resize", () => {});
document.addEventListener("keydown", () => {});
theme.setVar("--sq-rx", "red");
theme.addClass("messy");
theme.hideDefaultUI();
theme.getContainer().append("left");
dispatch.startPTT();
`
	r := run(t, theme(t, messy, ""), ample)
	if r.Verdict != OK {
		t.Errorf("%s: %s", r.Verdict, r.Why)
	}
	has(t, r, "left      2 timers: end it in onUnmount", "left      2 listeners on document or window: end it in onUnmount")

	tidy := `
const timer = setInterval(() => {}, 1000);
const key = () => {};
const over = new AbortController();
document.addEventListener("keydown", key);
addEventListener("resize", () => {}, { signal: over.signal });
onUnmount(() => { clearInterval(timer); document.removeEventListener("keydown", key); over.abort(); });
`
	r = run(t, theme(t, tidy, ""), ample)
	if all := lines(t, r); r.Verdict != OK || slices.ContainsFunc(all, func(l string) bool { return strings.HasPrefix(l, "left") }) {
		t.Errorf("%s: %s\n%s", r.Verdict, r.Why, strings.Join(all, "\n"))
	}
}
