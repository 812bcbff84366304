import { acknowledgeAll } from "./action/acknowledge";
import { toggleMute } from "./action/level";
import { recall, stopRecall } from "./action/recall";
import { cycleScan } from "./action/scan";
import { open, showZone } from "./action/screen";
import { toggleSelected } from "./action/select";
import type { Panel } from "./panel";

/** Keys of the console. Single letters work only on a channel that has the focus (WCAG 2.1.4). */
export function startKeyboard(panel: Panel): () => void {
  const down = (e: KeyboardEvent): void => {
    const { session, screen } = panel.store.now;
    if (session.phase !== "live" || e.defaultPrevented) return;
    if ((e.ctrlKey || e.metaKey) && e.code === "KeyK") {
      e.preventDefault();
      open(panel, "palette");
    } else if (!screen.dialog) {
      anywhere(panel, e);
    }
  };
  const up = (e: KeyboardEvent): void => {
    if (e.code === "KeyT" && held) {
      held = false;
      panel.sound.release("key");
    }
  };
  window.addEventListener("keydown", down);
  window.addEventListener("keyup", up);
  return () => {
    window.removeEventListener("keydown", down);
    window.removeEventListener("keyup", up);
  };
}

/** T on a channel is held down. */
let held = false;

function anywhere(panel: Panel, e: KeyboardEvent): void {
  if (e.altKey && /^Digit[1-9]$/.test(e.code)) {
    const zone = panel.store.now.radio.zones[Number(e.code.slice(5)) - 1];
    if (zone) showZone(panel, zone.id);
    e.preventDefault();
    return;
  }
  if (e.altKey && e.code === "KeyA") {
    void acknowledgeAll(panel);
    e.preventDefault();
    return;
  }
  const target = e.target instanceof HTMLElement ? e.target : null;
  if (!target || target.matches("input, select, textarea") || e.ctrlKey || e.metaKey || e.altKey) return;
  if (e.key === "?") open(panel, "keys");
  if (e.key === "Escape") stopRecall(panel);
  const card = target.closest<HTMLElement>("[data-part=channel-card]");
  if (card) onCard(panel, card, e);
}

function onCard(panel: Panel, card: HTMLElement, e: KeyboardEvent): void {
  const frequency = card.dataset["frequency"] ?? "";
  const transmits = panel.store.now.radio.channels[frequency]?.canTransmit === true;
  switch (e.code) {
    case "ArrowRight":
    case "ArrowLeft":
    case "ArrowUp":
    case "ArrowDown":
      step(card, e.code);
      break;
    case "KeyS":
      cycleScan(panel, frequency);
      break;
    case "KeyX":
      if (transmits) toggleSelected(panel, frequency);
      break;
    case "KeyM":
      toggleMute(panel, frequency);
      break;
    case "KeyA":
      open(panel, "channel", { frequency });
      break;
    case "KeyR":
      recall(panel, frequency, e.shiftKey ? 30 : 10);
      break;
    case "KeyT":
      if (e.repeat) return;
      held = true;
      panel.sound.press({ kind: "channel", frequency }, "key");
      break;
    default:
      return;
  }
  e.preventDefault();
}

/** Moves the focus to the next card in that direction on the screen. */
function step(card: HTMLElement, arrow: string): void {
  const cards = [...document.querySelectorAll<HTMLElement>("[data-part=channel-card]")];
  const from = card.getBoundingClientRect();
  const at = cards.indexOf(card);
  let to: HTMLElement | undefined;
  if (arrow === "ArrowRight") to = cards[at + 1];
  else if (arrow === "ArrowLeft") to = cards[at - 1];
  else {
    const below = arrow === "ArrowDown";
    to = cards
      .filter((c) => (below ? c.offsetTop > card.offsetTop : c.offsetTop < card.offsetTop))
      .sort((a, b) => distance(a) - distance(b))[0];
  }
  to?.querySelector<HTMLElement>("[data-part=select]")?.focus();

  function distance(c: HTMLElement): number {
    const r = c.getBoundingClientRect();
    return Math.abs(r.top - from.top) * 10 + Math.abs(r.left - from.left);
  }
}
