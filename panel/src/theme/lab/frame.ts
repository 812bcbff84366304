// One scene of the lab, in a frame or a tab of its own: the console itself, and the
// chosen theme, over a state that stands still.

import type { Look } from "../../state/desk";
import type { State } from "../../state/state";
import Console from "../../view/Console.svelte";
import { setClock } from "../../view/clock.svelte";
import type { Shown } from "../../view/App.svelte";
import type { Theme } from "../../wire.gen";
import { condition } from "../condition.svelte";
import { fileOf } from "../installed";
import { readChoice } from "./address";
import { moment } from "./county";
import { type Asked, SceneDesk } from "./desk";
import { forgetful } from "./memory";
import { measure, type Measured } from "./measure";
import { allScenes, sceneOf, stateOf } from "./scenes";
import { listThemes } from "./themes";
import "./frame.css";

/** Shows a console, as on every other page. */
export type Show = (panel: Shown) => Promise<void>;

/** What the lab asks of a frame; it is the frame's window.scene. */
export interface SceneFrame {
  /** What was asked of the radio, the newest last. */
  readonly asked: readonly Asked[];
  /** Why the theme did not start; "": it did. */
  readonly failed: string;
  /** What the dispatcher would be told of a theme that goes on. */
  readonly faults: string;
  /** Draws a scene; it is drawn when the promise is kept. */
  show(name: string, look?: Look): Promise<void>;
  measure(marked: boolean): Measured;
  /** Takes another build of the theme's style sheet in place of the one that it has. */
  restyle(theme: Theme): Promise<void>;
}

/** What a frame's element is told: that its scene is drawn, or that something was asked of the radio. */
export type FrameEvent = "drawn" | "asked";

/** Nothing is added to a page any more for so long, ms: it is drawn. */
const quiet = 120;
/** Whatever is missing: then it is measured as it is, ms. */
const longest = 5_000;

/** Fills the page with one scene. */
export async function openScene(query: URLSearchParams, show: Show): Promise<void> {
  const choice = readChoice(query, "en");
  const desk = new SceneDesk();
  const tell = (what: FrameEvent): void => void window.frameElement?.dispatchEvent(new Event(what));
  let shown = sceneOf(query.get("scene") ?? "") ?? allScenes[0]!;
  let drawings = 0;

  forgetful();
  if (window.frameElement) stayPut(window.parent);
  await stopClock();
  const themes = choice.theme === "" ? [] : (await listThemes()).filter((t) => t.slug === choice.theme);

  /** Each drawing is arranged and fitted anew, as if the page had begun with it. */
  const draw = (look: Look): void => {
    const s = stateOf(shown, { look, density: choice.density, language: choice.language, theme: choice.theme });
    const { config } = s.radio;
    drawings++;
    desk.show({ ...s, radio: { ...s.radio, config: config && { ...config, themes } }, screen: { ...s.screen, arranged: drawings, fitted: drawings } });
  };
  const drawn = (): Promise<void> => settled(() => missing(desk.store.now, themes[0] ?? null));

  draw(choice.look);
  await show(Object.assign(desk, { Console }));
  const frame: SceneFrame = {
    asked: desk.asked,
    get failed() {
      return condition.off?.why ?? "";
    },
    get faults() {
      return condition.off ? "" : desk.faults.join("\n");
    },
    async show(name, look = choice.look) {
      shown = sceneOf(name) ?? shown;
      draw(look);
      await drawn();
    },
    measure: (marked) => measure(document, { rest: shown.rest === true, marked }),
    async restyle(theme) {
      const sheet = document.querySelector<HTMLLinkElement>(`link[data-theme="${theme.slug}"]`);
      if (!sheet) return;
      await new Promise((there) => {
        sheet.onload = sheet.onerror = there;
        sheet.href = fileOf(theme, theme.css);
      });
    },
  };
  Object.assign(window, { scene: frame });
  desk.onasked = () => tell("asked");
  await drawn();
  tell("drawn");
}

/** The clock of the console stands at the scenes' moment. */
async function stopClock(): Promise<void> {
  setClock(() => moment, 1);
  await new Promise((passed) => setTimeout(passed, 20));
  setClock(() => moment, 3_600_000);
}

/** What scrolls or takes the focus in this frame does not move the page around it. */
function stayPut(page: Window): void {
  const still = <A extends unknown[]>(plain: (...a: A) => void) => function (this: Element, ...a: A): void {
    const { scrollX, scrollY } = page;
    plain.apply(this, a);
    if (page.scrollX !== scrollX || page.scrollY !== scrollY) page.scrollTo(scrollX, scrollY);
  };
  Element.prototype.scrollIntoView = still(Element.prototype.scrollIntoView);
  HTMLElement.prototype.focus = still(HTMLElement.prototype.focus);
}

/** What of a scene is not there yet: parts of the console come when they are shown first, and a theme after them. */
function missing({ session, screen }: State, theme: Theme | null): string | undefined {
  if (session.phase !== "live") return undefined;
  const wanted = ["[data-part=clock]", "[data-part=tools]", "[data-part=rail]", "[data-part=notices]", "[data-part=spoken-urgent]", `#pane-${screen.rail} > *`, `#pane-${screen.desk} > *`];
  if (screen.dialog) wanted.push("dialog[open]");
  if (screen.drawer) wanted.push("[data-part=drawer]");
  if (theme && !condition.off) wanted.push("link[data-theme]", ":root:not([data-veil])");
  if (theme?.hasJs && !condition.off) wanted.push("script[src$='_run.js']");
  return wanted.find((selector) => !document.querySelector(selector));
}

/** Waits until what opens has opened: meanwhile it has other colours. What flashes goes on. */
async function moved(): Promise<void> {
  const ending = document.getAnimations().filter((a) => a.effect?.getComputedTiming().endTime !== Infinity);
  await Promise.race([Promise.allSettled(ending.map((a) => a.finished)), new Promise((late) => setTimeout(late, longest))]);
}

/** Waits until nothing is missing, what was asked for has come, and nothing is added any more. */
function settled(missing: () => string | undefined): Promise<void> {
  const since = performance.now();
  const coming = new Set<EventTarget>();
  return new Promise((done) => {
    let next = 0;
    const again = (): void => {
      clearTimeout(next);
      next = window.setTimeout(look, quiet);
    };
    const look = (): void => {
      if ((missing() !== undefined || coming.size > 0) && performance.now() - since < longest) return again();
      seen.disconnect();
      void moved().then(done);
    };
    const came = (e: Event): void => void coming.delete(e.currentTarget!);
    const seen = new MutationObserver((changes) => {
      for (const node of changes.flatMap((c) => [...c.addedNodes])) {
        if (!(node instanceof HTMLLinkElement && node.rel === "stylesheet" && !node.sheet) && !(node instanceof HTMLScriptElement)) continue;
        coming.add(node);
        for (const end of ["load", "error"]) node.addEventListener(end, came, { once: true });
      }
      if (performance.now() - since < longest) again();
    });
    seen.observe(document, { childList: true, subtree: true });
    again();
  });
}
