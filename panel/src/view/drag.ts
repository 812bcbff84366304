/** What is dragged: a unit, and the channel it is dragged from. */
export interface DraggedUnit {
  id: number;
  from: string | null;
}

export const unitType = "application/x-squelch-unit";

export function dragged(e: DragEvent): DraggedUnit | null {
  try {
    const d: unknown = JSON.parse(e.dataTransfer?.getData(unitType) || "null");
    if (typeof d !== "object" || d === null || !("id" in d) || typeof d.id !== "number") return null;
    return { id: d.id, from: "from" in d && typeof d.from === "string" ? d.from : null };
  } catch {
    return null; // something else was dropped
  }
}
