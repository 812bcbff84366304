// Runs the theme that is chosen: its style sheet, then its script. It is fetched after
// the console, which needs none.

import { mount, unmount, untrack } from "svelte";
import { dismissNotice } from "../action/acknowledge";
import "../i18n/later";
import { t } from "../i18n/language.svelte";
import type { Ports } from "../ports";
import type { Notice } from "../state/radio";
import type { Theme } from "../wire.gen";
import { makeTheme, type OnUnmount, type ThemeRun } from "./api";
import { condition } from "./condition.svelte";
import DeskLine from "./DeskLine.svelte";
import { guarded, type Report, toConsole } from "./guard";
import { chosen, fileOf, installed } from "./installed";
import { Starts } from "./starts";
import type { Dispatch, Theme as ThemeApi } from "./table.gen";
import "../view/css/theme.css";

/** How long the first picture of the console waits for a theme's style sheet, ms. */
const veilFor = 400;
/** A start is over when the page has lived so long after it, ms. */
const settled = 1_000;

type Script = (dispatch: Dispatch, theme: ThemeApi, onUnmount: OnUnmount) => void;

declare global {
  interface Window {
    /** What the file calls that a theme's script is served in. */
    squelchTheme?: (slug: string, build: string, script: Script) => void;
  }
}

/** A theme in the page. */
interface Running {
  theme: Theme;
  sheet: HTMLLinkElement;
  script: HTMLScriptElement | null;
  run: ThemeRun | null;
  called: boolean;
  /** The dispatcher knows of an error. */
  told: boolean;
}

const root = document.documentElement;
const words = (e: unknown): string => (e instanceof Error ? e.message || e.name : String(e));

/** An error of a theme's script, with the line where the browser tells it. at: a line of the file that is served, which has one more before the script. */
function mistake(error: unknown, at: number): string {
  return at > 1 ? t("theme.line", { error: words(error), line: at - 1 }) : words(error);
}

/** The line of a file that an error was thrown in; 0: it does not tell. */
function lineOf(error: unknown, file: string): number {
  const stack = error instanceof Error ? (error.stack ?? "") : "";
  const at = stack.indexOf(`${file}:`);
  return at < 0 ? 0 : Number.parseInt(stack.slice(at + file.length + 1), 10) || 0;
}

/** The tab, for as long as it is open. */
function tab(): string {
  const key = "squelch.tab";
  try {
    const known = sessionStorage.getItem(key) ?? String(Math.random());
    sessionStorage.setItem(key, known);
    return known;
  } catch {
    return "";
  }
}

/** In the browser's storage while a theme runs: the next console waits for it from its first moment on. */
const themed = "squelch.themed";

function veil(): void {
  root.setAttribute("data-veil", "");
  setTimeout(unveil, veilFor);
}
const unveil = (): void => root.removeAttribute("data-veil");

function remember(runs: boolean): void {
  try {
    if (runs) localStorage.setItem(themed, "yes");
    else localStorage.removeItem(themed);
  } catch {
    // a browser that keeps nothing
  }
}

// The console is drawn before it starts themes. Where the last one had a theme, its first picture waits.
const app = document.getElementById("app");
if (app && !document.querySelector("[data-part=console]") && localStorage.getItem(themed) !== null) {
  const drawn = new MutationObserver(() => {
    if (!document.querySelector("[data-part=console]")) return;
    drawn.disconnect();
    veil();
  });
  drawn.observe(app, { childList: true });
}

/** Runs the chosen theme until the function that it returns is called. */
export function startThemes(ports: Ports): () => void {
  const engine = new Engine(ports);
  return () => engine.stop();
}

class Engine {
  #running: Running | null = null;
  /** The last theme that was looked at: one that failed is not tried again by itself. */
  #seen: string | null = null;
  #tried = condition.tried;
  #wait: ReturnType<typeof setTimeout> | undefined;
  /** What the dispatcher was told of the theme last. */
  #said: Notice | null = null;
  readonly #starts = new Starts(localStorage, tab(), () => Date.now(), () => t("theme.died"));
  readonly #ends: (() => void)[];
  #box: HTMLElement | null = null;
  readonly #inside = new MutationObserver(() => this.#name());
  #desk: Record<string, unknown> | null = null;
  /** Loads the script, once the console is there: a phone draws it a little later. */
  #script: (() => void) | null = null;

  constructor(private readonly ports: Ports) {
    condition.safe = new URLSearchParams(location.search).get("safe") === "1";
    const leave = (): void => this.#starts.leave();
    const failed = (e: ErrorEvent): void => this.#failed(e);
    const rejected = (e: PromiseRejectionEvent): void => this.#rejected(e);
    addEventListener("pagehide", leave);
    addEventListener("error", failed);
    addEventListener("unhandledrejection", rejected);
    const place = new MutationObserver(() => this.#place());
    const app = document.getElementById("app");
    if (app) place.observe(app, { childList: true });
    place.observe(root, { attributes: true, attributeFilter: ["data-bare"] });
    this.#ends = [
      ports.store.watch((now, before) => {
        if (now.radio.config !== before.radio.config || now.desk.settings.theme !== before.desk.settings.theme) this.#look();
      }),
      $effect.root(() => {
        $effect(() => {
          if (condition.tried !== this.#tried) untrack(() => this.#again());
        });
      }),
      () => removeEventListener("pagehide", leave),
      () => removeEventListener("error", failed),
      () => removeEventListener("unhandledrejection", rejected),
      () => place.disconnect(),
    ];
    window.squelchTheme = (slug, build, script) => this.#run(slug, build, script);
    this.#look(true);
  }

  stop(): void {
    this.#end();
    this.#starts.leave();
    for (const end of this.#ends) end();
    delete window.squelchTheme;
  }

  /** Changes to the theme that is chosen now. first: the console has not been seen yet. */
  #look(first = false): void {
    if (!this.ports.store.now.radio.config) return; // it is not known yet
    const theme = condition.safe ? null : chosen(this.ports.store.now);
    const key = theme ? `${theme.slug} ${theme.build}` : "";
    if (key === this.#seen) return;
    this.#seen = key;
    const had = this.#running?.theme;
    this.#end();
    this.#unsay();
    condition.off = null;
    remember(theme !== null);
    if (had && !installed(this.ports.store.now).some((x) => x.slug === had.slug)) this.#say(t("theme.removed", { name: had.name }), t("theme.removedHint"));
    if (!theme) return unveil();
    const why = this.#starts.off(theme.slug, theme.build);
    if (why === null) return this.#start(theme, first);
    unveil();
    condition.off = { name: theme.name, why, twice: true };
    this.#say(t("theme.off", { name: theme.name }), t("theme.settings", { why }));
  }

  /** The dispatcher wants to try a theme again that was switched off. */
  #again(): void {
    this.#tried = condition.tried;
    const theme = chosen(this.ports.store.now);
    if (!theme || this.#running) return;
    this.#starts.done(theme.slug);
    this.#seen = null;
    this.#look();
  }

  #start(theme: Theme, first: boolean): void {
    this.#starts.begin(theme.slug, theme.build);
    const sheet = document.createElement("link");
    const running: Running = { theme, sheet, script: null, run: null, called: false, told: false };
    this.#running = running;
    sheet.rel = "stylesheet";
    sheet.href = fileOf(theme, theme.css);
    sheet.dataset["theme"] = theme.slug;
    if (first) veil();
    sheet.addEventListener("load", () => {
      unveil();
      if (this.#running !== running) return;
      if (!theme.hasJs) return this.#started(running);
      this.#script = () => this.#load(running);
      this.#place();
    });
    sheet.addEventListener("error", () => {
      unveil();
      this.#fail(running, t("theme.noSheet"));
    });
    document.head.append(sheet);
  }

  #load(running: Running): void {
    const script = document.createElement("script");
    running.script = script;
    script.src = fileOf(running.theme, "_run.js");
    let error = "";
    // A script that cannot be parsed says so here, before it is said to be loaded.
    const parsed = (e: ErrorEvent): void => {
      if (e.filename === script.src) error = mistake(e.error ?? e.message, e.lineno);
    };
    addEventListener("error", parsed);
    script.addEventListener("load", () => {
      removeEventListener("error", parsed);
      if (!running.called) this.#fail(running, t("theme.notParsed", { error }));
    });
    script.addEventListener("error", () => {
      removeEventListener("error", parsed);
      this.#fail(running, t("theme.noScript"));
    });
    document.head.append(script);
  }

  /** Called by the theme's file. */
  #run(slug: string, build: string, script: Script): void {
    const running = this.#running;
    if (!running || running.called || running.theme.slug !== slug || running.theme.build !== build) return;
    running.called = true;
    const report = this.#report(running);
    const run = makeTheme(this.ports, { root, container: () => this.#container() }, report);
    running.run = run;
    try {
      script(run.dispatch, run.theme, run.onUnmount);
    } catch (e) {
      console.error(`Theme ${running.theme.name}:`, e);
      return this.#fail(running, t("theme.threw", { error: mistake(e, lineOf(e, running.script?.src ?? "")) }));
    }
    this.#started(running);
  }

  #started(running: Running): void {
    this.#wait = setTimeout(() => {
      if (this.#running === running) this.#starts.done(running.theme.slug);
    }, settled);
  }

  #fail(running: Running, why: string): void {
    if (this.#running !== running) return;
    const { slug, build, name } = running.theme;
    this.#end();
    this.#starts.failed(slug, build, why);
    const off = this.#starts.off(slug, build) !== null;
    condition.off = { name, why, twice: off };
    this.#say(t(off ? "theme.off" : "theme.failed", { name }), t(off ? "theme.settings" : "theme.again", { why }));
  }

  /** Ends the theme, and takes everything of it out of the page. */
  #end(): void {
    clearTimeout(this.#wait);
    this.#script = null;
    const running = this.#running;
    if (!running) return;
    this.#running = null;
    this.#starts.leave();
    if (running.run) guarded(toConsole(running.theme.name), "the end", () => running.run!.dispose());
    running.sheet.remove();
    running.script?.remove();
    unveil();
    this.#box = null;
    this.#inside.disconnect();
    this.#place();
  }

  /** Errors go to the browser's console, and the first of a run to the dispatcher. */
  #report(running: Running): Report {
    const own = toConsole(running.theme.name);
    return {
      warn: own.warn,
      error: (where, error) => {
        own.error(where, error);
        if (this.#running === running) this.#tell(error);
      },
    };
  }

  /** An error of a timer, of a key of the theme, and the like: the browser's console has it already. */
  #failed(e: ErrorEvent): void {
    if (this.#of(e.filename)) this.#tell(e.error ?? e.message);
  }

  #rejected(e: PromiseRejectionEvent): void {
    if (e.reason instanceof Error && this.#of(e.reason.stack ?? "")) this.#tell(e.reason);
  }

  /** Whether that names the running theme's script. */
  #of(where: string): boolean {
    const { src } = this.#running?.script ?? {};
    return src !== undefined && this.#running?.run != null && where.includes(src);
  }

  #tell(error: unknown): void {
    const running = this.#running;
    if (!running || running.told) return;
    running.told = true;
    this.#say(t("theme.error", { name: running.theme.name }), t("theme.errorHint", { error: words(error) }));
  }

  /** Tells the dispatcher something in place of what was told last: only the newest of it is true. */
  #say(title: string, text: string): void {
    this.#unsay();
    const [before] = this.ports.store.now.radio.notices;
    this.ports.fault(title, text);
    const [newest] = this.ports.store.now.radio.notices;
    this.#said = newest !== undefined && newest !== before ? newest : null;
  }

  #unsay(): void {
    const said = this.#said;
    this.#said = null;
    if (said && this.ports.store.now.radio.notices.includes(said)) dismissNotice(this.ports, said.id);
  }

  /** The theme's element, before the channels. */
  #container(): HTMLElement {
    const box = document.createElement("div");
    box.dataset["part"] = "theme-container";
    this.#box = box;
    this.#place();
    this.#inside.observe(box, { childList: true });
    return box;
  }

  /**
   * What it is to who hears the page: while the channels are hidden, what the page is
   * about, unless the theme says itself what is; beside them, a part of its own.
   */
  #name(): void {
    const box = this.#box;
    if (!box) return;
    const bare = root.hasAttribute("data-bare");
    const role = !bare ? "region" : box.querySelector("main, [role=main]") ? null : "main";
    if (role === null) {
      box.removeAttribute("role");
      box.removeAttribute("aria-label");
      return;
    }
    box.setAttribute("role", role);
    box.setAttribute("aria-label", t("theme.region"));
  }

  /** The console may be drawn later than the theme starts; and a line stays of it while it is hidden. */
  #place(): void {
    const console = document.querySelector<HTMLElement>("[data-part=console]");
    const bare = root.hasAttribute("data-bare") && console !== null;
    const box = this.#box;
    if (console && this.#script) {
      this.#script();
      this.#script = null;
    }
    this.#name();
    if (box && console && box.parentElement !== console) console.insertBefore(box, console.querySelector("[data-part=channels]"));
    if (bare && !this.#desk) this.#desk = mount(DeskLine, { target: console, props: { panel: this.ports } });
    else if (!bare && this.#desk) {
      void unmount(this.#desk);
      this.#desk = null;
    }
  }
}
