// A theme that runs, and everything that it does.

import type { Ports } from "../../ports";
import { makeTheme, type ThemeRun } from "../api";
import { limits } from "../table.gen";
import type { Marks } from "./page";
import type { Time } from "./time";
import { line, show, type Transcript, words } from "./transcript";

/** What a theme's script is: the panel calls it with these three. */
export type Script = (dispatch: unknown, theme: unknown, onUnmount: unknown) => unknown;

type Functions = Record<string, (...args: unknown[]) => unknown>;

/** Of dispatch: it reads, and asks for nothing. */
const reading = ["on", "off", "getState"];

/** Characters of a container's text in the transcript. */
const maxShown = 160;

/** One theme on the page, from its start to its end. */
export class Mounted implements Marks {
  readonly container: HTMLElement;
  readonly #run: ThemeRun;
  readonly #actions: string[] = [];
  readonly #variables: Record<string, string> = {};
  /** The theme's callbacks as they were subscribed, so that off finds them again. */
  readonly #callbacks = new Map<unknown, unknown>();
  #listeners = 0;
  #shown = "";
  readonly #unwatch: () => void;

  constructor(
    ports: Ports,
    private readonly time: Time,
    private readonly transcript: Transcript,
  ) {
    this.container = document.createElement("div");
    this.container.setAttribute("data-part", "theme-container");
    this.#run = makeTheme(
      ports,
      { root: document.documentElement, container: () => (document.body.appendChild(this.container), this.container) },
      { error: (where, e) => transcript.error(where, e), warn: (text) => transcript.note("warning", text) },
    );
    this.#unwatch = this.#watchWindow();
  }

  /** Runs the script. False: it threw. */
  start(script: Script): boolean {
    const { dispatch, theme, onUnmount } = this.#run;
    try {
      this.touch(() => script(this.#dispatch(dispatch as unknown as Functions), this.#theme(theme as unknown as Functions), (f: unknown) => onUnmount(this.#mine(f) as never)));
      return true;
    } catch (e) {
      this.transcript.error("the script", e);
      return false;
    } finally {
      this.look();
    }
  }

  /** What the theme would be told. */
  state(): unknown {
    return this.#run.dispatch.getState();
  }

  touch<T>(f: () => T): T {
    return this.time.as("theme", f);
  }

  /** The theme's function, as the theme's code. */
  #mine(f: unknown): unknown {
    if (typeof f !== "function") return f;
    const known = this.#callbacks.get(f);
    if (known) return known;
    const made = (...args: unknown[]): unknown => this.touch(() => f(...args));
    this.#callbacks.set(f, made);
    return made;
  }

  #dispatch(real: Functions): Functions {
    const all: Functions = {};
    for (const [name, f] of Object.entries(real)) {
      all[name] = reading.includes(name)
        ? (...args) => this.time.as("panel", () => f(...(name === "getState" ? args : [args[0], this.#mine(args[1])])))
        : (...args) => this.#act(name, f, args);
    }
    return all;
  }

  #act(name: string, f: (...args: unknown[]) => unknown, args: unknown[]): unknown {
    const text = `${name}(${args.map(show).join(", ")})`;
    this.#actions.push(text);
    const result = this.time.as("panel", () => f(...args));
    this.transcript.note("action", text);
    if (result instanceof Promise)
      result.then(
        (value) => this.transcript.note("action", text, { result: show(value) }),
        (e) => this.transcript.note("action", text, { result: words(e) }),
      );
    return result;
  }

  #theme(real: Functions): Functions {
    const { root } = this;
    const call = (name: string, args: unknown[]): unknown => real[name]!(...args);
    const changed = (kind: "class" | "ui", look: () => boolean, name: string, args: unknown[], text: string): void => {
      const before = look();
      call(name, args);
      if (look() !== before) this.transcript.note(kind, text);
    };
    const has = (name: unknown) => (): boolean => root.classList.contains(limits.classPrefix + String(name));
    const bare = (): boolean => this.hidden;
    const variable = (f: string, name: unknown, args: unknown[]): void => {
      const before = root.style.getPropertyValue(String(name));
      call(f, args);
      const after = root.style.getPropertyValue(String(name));
      if (after === before) return;
      if (after === "") delete this.#variables[String(name)];
      else this.#variables[String(name)] = after;
      this.transcript.note("variable", after === "" ? `${String(name)} removed` : `${String(name)}: ${after}`);
    };
    return {
      setVar: (...args) => variable("setVar", args[0], args),
      removeVar: (...args) => variable("removeVar", args[0], args),
      addClass: (...args) => changed("class", has(args[0]), "addClass", args, `${String(args[0])} added`),
      removeClass: (...args) => changed("class", has(args[0]), "removeClass", args, `${String(args[0])} removed`),
      hideDefaultUI: (...args) => changed("ui", bare, "hideDefaultUI", args, "default UI hidden"),
      showDefaultUI: (...args) => changed("ui", bare, "showDefaultUI", args, "default UI shown"),
      getContainer: () => call("getContainer", []),
    };
  }

  private get root(): HTMLElement {
    return document.documentElement;
  }

  get variables(): Readonly<Record<string, string>> {
    return this.#variables;
  }

  get classes(): readonly string[] {
    const { classPrefix } = limits;
    return [...this.root.classList].filter((c) => c.startsWith(classPrefix)).map((c) => c.slice(classPrefix.length));
  }

  get hidden(): boolean {
    return this.root.hasAttribute("data-bare");
  }

  get actions(): readonly string[] {
    return this.#actions;
  }

  /** Notes what is in the container, if that has changed. */
  look(): void {
    const elements = this.container.querySelectorAll("*").length;
    const text = (this.container.textContent ?? "").replace(/\s+/g, " ").trim();
    const shown = elements === 0 && text === "" ? "" : `${elements} ${elements === 1 ? "element" : "elements"}: ${text.length > maxShown ? `${text.slice(0, maxShown)}…` : text}`;
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.transcript.note("container", shown || "empty");
  }

  /** Ends the theme. Returns whether everything of it that the panel takes back is gone. */
  end(): boolean {
    this.#run.dispose();
    this.#unwatch();
    const { root } = this;
    const left = [
      ...this.classes.map((c) => `the class ${c}`),
      ...Object.keys(this.#variables).filter((v) => root.style.getPropertyValue(v) !== "").map((v) => `the variable ${v}`),
      ...(this.hidden ? ["the default UI hidden"] : []),
      ...(this.container.childNodes.length > 0 || this.container.isConnected ? ["something in its container"] : []),
    ];
    const own = [counted(this.time.dropTheme(), "timer"), counted(this.#listeners, "listener on document or window")].filter((x) => x !== "");
    for (const what of left) this.transcript.note("left", what);
    for (const what of own) this.transcript.note("left", `${what}: end it in onUnmount`);
    return left.length === 0;
  }

  /** Counts the theme's listeners outside its container. */
  #watchWindow(): () => void {
    const places = [window, document] as unknown as Functions[];
    const put = (on: Functions, name: string, f: (...args: unknown[]) => unknown): (() => void) => {
      const before = Object.getOwnPropertyDescriptor(on, name);
      const real = on[name]!;
      Object.defineProperty(on, name, { value: (...args: unknown[]) => (f(...args), real.apply(on, args)), configurable: true, writable: true });
      return () => (before ? Object.defineProperty(on, name, before) : delete on[name]);
    };
    const known = new Set<string>();
    const ids = new Map<unknown, number>();
    const name = (place: number, type: unknown, listener: unknown): string => {
      if (!ids.has(listener)) ids.set(listener, ids.size);
      return `${place} ${String(type)} ${ids.get(listener)}`;
    };
    const undo = places.flatMap((on, place) => [
      put(on, "addEventListener", (type, listener, options) => {
        if (this.time.owner !== "theme") return;
        known.add(name(place, type, listener));
        const { signal } = (typeof options === "object" && options !== null ? options : {}) as { signal?: AbortSignal };
        signal?.addEventListener("abort", () => (known.delete(name(place, type, listener)), (this.#listeners = known.size)));
        this.#listeners = known.size;
      }),
      put(on, "removeEventListener", (type, listener) => {
        known.delete(name(place, type, listener));
        this.#listeners = known.size;
      }),
    ]);
    return () => {
      for (const f of undo) f();
    };
  }
}

const counted = (n: number, what: string): string => (n === 0 ? "" : n === 1 ? `1 ${what}` : `${n} ${what.replace(/^(\w+)/, "$1s")}`);

/** A console that writes into the transcript. */
export function consoleOf(transcript: Transcript): Console {
  const write = (level: string) => (...args: unknown[]) => transcript.note("console", level === "log" ? line(args) : `${level}: ${line(args)}`);
  const nothing = (): void => undefined;
  return new Proxy({} as Console, { get: (_, name) => (["log", "info", "debug", "warn", "error"].includes(String(name)) ? write(String(name)) : nothing) });
}
