// One scene of the lab, in a frame or a tab of its own: the console itself over a state
// that stands still.

import Console from "../../view/Console.svelte";
import { setClock } from "../../view/clock.svelte";
import type { Theme } from "../../wire.gen";
import type { Look } from "../../state/desk";
import { readChoice } from "./address";
import { moment } from "./county";
import { type Asked, SceneDesk } from "./desk";
import { measure, type Measured } from "./measure";
import { allScenes, sceneOf, stateOf } from "./scenes";
import "./frame.css";

/** Shows a console, as on every other page. */
export type Show = (panel: SceneDesk & { Console: typeof Console }) => Promise<void>;

/** What the lab asks of a frame; it is the frame's window.scene. */
export interface SceneFrame {
  /** What was asked of the radio, the newest last. */
  readonly asked: readonly Asked[];
  /** Why the theme did not start; "": it did, or there is none. */
  readonly failed: string;
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
/** Whatever is added: then it is measured as it is, ms. */
const longest = 3_000;

/** Fills the page with one scene. */
export async function openScene(query: URLSearchParams, show: Show): Promise<void> {
  const choice = readChoice(query, "en");
  const desk = new SceneDesk();
  let shown = sceneOf(query.get("scene") ?? "") ?? allScenes[0]!;
  const tell = (what: FrameEvent): void => void window.frameElement?.dispatchEvent(new Event(what));
  let drawings = 0;
  /** Each drawing is arranged and fitted anew, as if the page had begun with it. */
  const draw = (look: Look): void => {
    const s = stateOf(shown, { look, density: choice.density, language: choice.language });
    drawings++;
    desk.show({ ...s, screen: { ...s.screen, arranged: drawings, fitted: drawings } });
  };

  draw(choice.look);
  if (window.frameElement) stayPut(window.parent);
  await stopClock();
  await show(Object.assign(desk, { Console }));

  const frame: SceneFrame = {
    asked: desk.asked,
    failed: "",
    async show(name, look = choice.look) {
      shown = sceneOf(name) ?? shown;
      draw(look);
      await drawn();
    },
    measure: (marked) => measure(document, { rest: shown.rest === true, marked }),
    restyle: async () => undefined,
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

/** Waits until everything is there that a scene fetches: parts of the console come when they are shown first, style sheets when a look is worn. */
function drawn(): Promise<void> {
  const dressed = (): boolean => [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")].every((l) => l.sheet !== null);
  return new Promise((done) => {
    const since = performance.now();
    let next = 0;
    const look = (): void => {
      if (!dressed() && performance.now() - since < longest) return again();
      seen.disconnect();
      done();
    };
    const again = (): void => {
      clearTimeout(next);
      next = window.setTimeout(look, performance.now() - since < longest ? quiet : 0);
    };
    const seen = new MutationObserver(again);
    seen.observe(document, { childList: true, subtree: true });
    again();
  });
}
