// One run: the theme on its radio, with its own tests or the standard scenario.

import type { Deed } from "../../simulation/api";
import { checkDeed } from "../../simulation/script";
import type { Host, Job, Outcome } from "./host";
import { Mounted, consoleOf, type Script } from "./mounted";
import { Page } from "./page";
import { Practice } from "./practice";
import { quiet, standard } from "./standard";
import { Time } from "./time";
import { cut, scriptFile, show, testFile, Transcript, words } from "./transcript";

/** ms after which a deed has been told to everybody, and drawn. */
const told = 100;
/** ms that a theme runs for before anything happens, and after the last thing. */
const idle = 1_000;
/** How often it is looked at what the container shows, ms. */
const lookEvery = 250;
/** How often a test may wait for promises while no time passes. */
const maxWaits = 1_000;

/** The global names through which the theme's files come. */
const themeEntry = "squelchTheme";
const testEntry = "squelchTest";

type TestBody = (t: { radio: unknown; page: Page; check: unknown }) => unknown;

/** A condition of a test that does not hold is noted; the test goes on. */
interface Test {
  name: string;
  run: TestBody;
}

/** Runs a theme. Afterwards the clock of the page is this run's still. */
export async function run(host: Host, job: Job): Promise<Outcome> {
  const time = new Time(host, (e) => transcript.error("a timer or promise", e));
  const transcript = new Transcript(host, time);
  time.install(globalThis);
  const global = globalThis as unknown as Record<string, unknown>;
  Object.defineProperty(globalThis, "console", { value: consoleOf(transcript), configurable: true, writable: true });
  global["reportError"] = (e: unknown) => transcript.error("a listener", e);
  const tests = job.test === "" ? null : testsOf(host, job.test, transcript);
  const outcome: Outcome = { ok: true, why: "", tests: [] };
  const fail = (why: string): void => {
    outcome.ok = false;
    outcome.why ||= cut(why);
  };
  if (tests && transcript.errors > 0) fail("its test throws before the first test");
  else if (tests && tests.length === 0) fail(`${testFile} has no test: write test("…", async ({ radio, page, check }) => { … })`);
  for (const test of tests ?? [null]) {
    if (!outcome.ok && tests?.length === 0) break;
    const errors = transcript.errors;
    const r = new Run(host, job, time, transcript);
    const why = await r.go(test);
    if (test) {
      outcome.tests.push({ name: test.name, ok: why === "" });
      transcript.note("test", test.name, { result: why === "" ? "passed" : why });
    }
    if (why !== "") fail(test ? `the test "${test.name}" fails: ${why}` : why);
    else if (transcript.errors > errors) fail(test ? `the theme throws during the test "${test.name}"` : "the theme throws");
  }
  return outcome;
}

/** The tests in the theme's test file. What it throws is in the transcript. */
function testsOf(host: Host, source: string, transcript: Transcript): Test[] {
  const found: Test[] = [];
  const test = (name: unknown, body: unknown): void => {
    if (typeof name !== "string" || typeof body !== "function") throw new TypeError('want test("name", function)');
    found.push({ name: cut(name), run: body as TestBody });
  };
  (globalThis as unknown as Record<string, unknown>)[testEntry] = (file: (t: typeof test) => void) => {
    try {
      file(test);
    } catch (e) {
      transcript.error(testFile, e);
    }
  };
  host.script(testFile, `${testEntry}(function (test) {\n${source}\n});`);
  return found;
}

/** The theme on a fresh radio, once. */
class Run {
  #practice!: Practice;
  #mounted!: Mounted;
  #wrong = "";
  /** What lets time pass now. */
  #passing = 0;

  constructor(
    private readonly host: Host,
    private readonly job: Job,
    private readonly time: Time,
    private readonly transcript: Transcript,
  ) {}

  /** Returns what is wrong; "": nothing. */
  async go(test: Test | null): Promise<string> {
    this.#practice = await Practice.open(this.host, this.time, quiet);
    this.#mounted = new Mounted(this.#practice.panel, this.time, this.transcript);
    try {
      if (!this.#start()) return "the theme throws at its start";
      await this.#pass(idle);
      if (test) await this.#test(test);
      else await this.#standard();
    } finally {
      this.transcript.note("radio", "the theme ends");
      if (!this.#mounted.end()) this.#wrong ||= "something of it is left after its end";
      await this.time.pass(told);
      await this.#practice.close();
    }
    return this.#wrong;
  }

  /** Loads the script as the panel does. */
  #start(): boolean {
    const { slug, build, script } = this.job;
    this.transcript.note("radio", "the theme starts");
    if (script === "") return true;
    let started = false;
    (globalThis as unknown as Record<string, unknown>)[themeEntry] = (_slug: string, _build: string, f: Script) => {
      started = this.#mounted.start(f);
    };
    this.host.script(scriptFile, `${themeEntry}(${JSON.stringify(slug)}, ${JSON.stringify(build)}, function (dispatch, theme, onUnmount) {\n${script}\n});`);
    return started;
  }

  async #pass(ms: number): Promise<void> {
    this.#passing++;
    for (let left = ms; left > 0; left -= lookEvery) {
      await this.time.pass(Math.min(left, lookEvery));
      this.#mounted.look();
    }
    this.#passing--;
  }

  async #standard(): Promise<void> {
    for (const step of standard) {
      this.transcript.note("radio", step.says);
      try {
        await step.do(this.#practice);
      } catch (e) {
        this.transcript.note("radio", `that is refused: ${(e as Error).message}`); // the theme may hold the channel
      }
      await this.#pass(step.then * 1000);
    }
    await this.#pass(idle);
  }

  async #test(test: Test): Promise<void> {
    const radio = {
      do: async (deed: Deed & { unit?: number }) => {
        checkDeed(deed);
        const { unit, ...what } = deed;
        this.transcript.note("radio", `${unit === undefined ? "" : `unit ${unit}: `}${show(what)}`);
        await this.#practice.do(what as Deed, unit);
        await this.#pass(told);
      },
      wait: (seconds: number) => this.#pass(Number(seconds) * 1000),
      state: () => this.#mounted.state(),
    };
    const holds = (condition: boolean, what: string): void => {
      if (condition) return;
      this.transcript.note("check", what);
      this.#wrong ||= what;
    };
    const check = Object.assign((condition: unknown, what: string) => holds(Boolean(condition), String(what)), {
      equal: (got: unknown, want: unknown, what: string) => holds(show(got) === show(want), `${String(what)}: got ${show(got)}, want ${show(want)}`),
    });
    let over = false;
    void Promise.resolve()
      .then(() => test.run({ radio, page: new Page(this.#mounted), check }))
      .catch((e: unknown) => {
        this.#wrong ||= words(e);
        this.transcript.error(testFile, e);
      })
      .finally(() => (over = true));
    for (let waits = 0; !over && waits < maxWaits; waits++) {
      await this.time.settle();
      if (this.#passing > 0) waits = 0;
    }
    if (!over) this.#wrong ||= "it waits for something that does not happen: await radio.wait(seconds) lets time pass";
  }
}
