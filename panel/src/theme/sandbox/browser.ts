// What the panel and a theme need of a browser, where there is none. Imported before
// everything else; in a browser it changes nothing.

import { parseHTML } from "linkedom/worker";
import { storage } from "./storage";

type Globals = Record<string, unknown>;

/** The names of linkedom's classes that scripts ask for. */
const classes = [
  "Event", "CustomEvent", "EventTarget", "Node", "Text", "Comment", "Element", "HTMLElement", "SVGElement", "DocumentFragment", "MutationObserver",
  "DOMParser", "NodeFilter", "HTMLInputElement", "HTMLButtonElement", "HTMLImageElement", "HTMLTemplateElement", "HTMLCanvasElement",
];

/** Scripts of a page ask for these, and there is nothing behind them: no window, no layout, no media. */
const empty: Globals = {
  innerWidth: 1280, innerHeight: 720, devicePixelRatio: 1, scrollX: 0, scrollY: 0, isSecureContext: true,
  matchMedia: (media: string) => ({ media, matches: false, onchange: null, addEventListener() {}, removeEventListener() {}, addListener() {}, removeListener() {} }),
  ResizeObserver: class { observe() {} unobserve() {} disconnect() {} },
  IntersectionObserver: class { observe() {} unobserve() {} disconnect() {} },
  scrollTo() {}, focus() {}, blur() {},
  localStorage: storage(), sessionStorage: storage(),
  navigator: { languages: ["en"], language: "en", userAgent: "squelch", onLine: true, maxTouchPoints: 0, vibrate: () => false },
  location: {
    href: "http://squelch.invalid/", origin: "http://squelch.invalid", protocol: "http:", host: "squelch.invalid", hostname: "squelch.invalid",
    port: "", pathname: "/", search: "", hash: "", assign() {}, reload() {}, replace() {},
  },
};

/** The same of elements. */
const emptyOfElements: Globals = {
  animate: () => ({ finished: Promise.resolve(), cancel() {}, finish() {}, pause() {}, play() {}, onfinish: null }),
  getAnimations: () => [],
  scrollIntoView() {}, scrollTo() {}, setPointerCapture() {}, releasePointerCapture() {}, hasPointerCapture: () => false,
  offsetWidth: 0, offsetHeight: 0, clientWidth: 0, clientHeight: 0, scrollTop: 0, scrollLeft: 0, scrollWidth: 0, scrollHeight: 0,
};

if (typeof document === "undefined") make();

function make(): void {
  const global = globalThis as unknown as Globals;
  const made = parseHTML("<!doctype html><html lang=\"en\"><head></head><body></body></html>") as unknown as Globals & { document: Document };
  global["window"] = global["self"] = globalThis;
  for (const name of classes) if (made[name] !== undefined) global[name] = made[name];
  global["document"] = made.document;
  Object.assign(global, empty);
  const elements = Element.prototype as unknown as Globals;
  for (const [name, value] of Object.entries(emptyOfElements)) if (!(name in elements)) Object.defineProperty(elements, name, { value, configurable: true, writable: true });
  Object.defineProperty(made.document, "visibilityState", { value: "visible" });
  Object.defineProperty(made.document, "hidden", { value: false });
  global["getComputedStyle"] = (of: HTMLElement) => of.style;
  global["queueMicrotask"] = (f: () => void) => void Promise.resolve().then(f);
  global["structuredClone"] = clone;
  global["AbortController"] = aborting();
  delete (made["HTMLCanvasElement"] as { prototype: Globals }).prototype["getContext"]; // it draws nothing
  listeners(made.document);
}

function clone(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(clone);
  if (value instanceof Date) return new Date(value.getTime());
  if (value instanceof Map) return new Map([...value].map(([k, v]) => [clone(k), clone(v)]));
  if (value instanceof Set) return new Set([...value].map(clone));
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, clone(v)]));
}

/** AbortController, once there are event targets. */
function aborting(): unknown {
  class Signal extends EventTarget {
    aborted = false;
  }
  return class AbortController {
    readonly signal = new Signal();
    abort(): void {
      if (this.signal.aborted) return;
      this.signal.aborted = true;
      this.signal.dispatchEvent(new Event("abort"));
    }
  };
}

type Listener = EventListenerOrEventListenerObject;
type Options = boolean | (AddEventListenerOptions & { signal?: AbortSignal }) | undefined;

/** Listeners as in a browser: what one throws does not stop the others, "this" is where it listens, and a signal ends it. */
function listeners(document: Document): void {
  const { addEventListener: add, removeEventListener: remove } = EventTarget.prototype;
  const known = new WeakMap<object, EventListener>();
  const safe = (listener: Listener): EventListener => {
    const made = known.get(listener) ?? function (event: Event): void {
      try {
        if (typeof listener === "function") listener.call(event.currentTarget as EventTarget, event);
        else listener.handleEvent(event);
      } catch (e) {
        (globalThis as unknown as { reportError(e: unknown): void }).reportError(e);
      }
    };
    known.set(listener, made);
    return made;
  };
  EventTarget.prototype.addEventListener = function (type: string, listener: Listener | null, options?: Options): void {
    if (!listener) return;
    const signal = typeof options === "object" ? options.signal : undefined;
    if (signal?.aborted) return;
    add.call(this, type, safe(listener), typeof options === "boolean" ? { capture: options } : options);
    signal?.addEventListener("abort", () => this.removeEventListener(type, listener));
  };
  EventTarget.prototype.removeEventListener = function (type: string, listener: Listener | null): void {
    if (listener) remove.call(this, type, known.get(listener) ?? (listener as EventListener));
  };
  // The window hears what reaches the document.
  const window = globalThis as unknown as Globals;
  const targets = EventTarget.prototype as unknown as Record<string, (...args: unknown[]) => unknown>;
  for (const name of ["addEventListener", "removeEventListener", "dispatchEvent"]) window[name] = (...args: unknown[]) => targets[name]!.apply(document, args);
}
