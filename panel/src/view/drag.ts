import { switchUserChannel } from "../action/unit";
import type { Ports } from "../ports";

/** What is dragged: a unit, and the channel it is dragged from. */
interface DraggedUnit {
  id: number;
  from: string | null;
}

const unitType = "application/x-squelch-unit";

/** A drag begins with a unit. */
export function takeUnit(e: DragEvent, unit: DraggedUnit): void {
  e.dataTransfer?.setData(unitType, JSON.stringify(unit));
}

function dragged(e: DragEvent): DraggedUnit | null {
  try {
    const d: unknown = JSON.parse(e.dataTransfer?.getData(unitType) || "null");
    if (typeof d !== "object" || d === null || !("id" in d) || typeof d.id !== "number") return null;
    return { id: d.id, from: "from" in d && typeof d.from === "string" ? d.from : null };
  } catch {
    return null; // something else was dropped
  }
}

/** Lets units be dropped on channel cards, which light up, until the function that it returns is called. */
export function takeDrops(p: Ports): () => void {
  let over: HTMLElement | null = null;
  const light = (card: HTMLElement | null): void => {
    if (over === card) return;
    if (over) over.dataset["over"] = "false";
    if (card) card.dataset["over"] = "true";
    over = card;
  };
  const cardAt = (at: EventTarget | null): HTMLElement | null => (at instanceof Element ? at.closest<HTMLElement>("[data-part=channel-card]") : null);

  const dragover = (e: DragEvent): void => {
    const card = e.dataTransfer?.types.includes(unitType) ? cardAt(e.target) : null;
    if (card) e.preventDefault();
    light(card);
  };
  // Leaving one part of the card for another is not leaving it.
  const dragleave = (e: DragEvent): void => light(cardAt(e.relatedTarget) === over ? over : null);
  const drop = (e: DragEvent): void => {
    light(null);
    const card = cardAt(e.target);
    const unit = card && dragged(e);
    if (!unit) return;
    e.preventDefault();
    void switchUserChannel(p, unit.id, card.dataset["frequency"] ?? "", unit.from);
  };
  const listeners = { dragover, dragleave, drop } as const;
  for (const [type, listener] of Object.entries(listeners)) document.addEventListener(type, listener as EventListener);
  return () => {
    light(null);
    for (const [type, listener] of Object.entries(listeners)) document.removeEventListener(type, listener as EventListener);
  };
}
