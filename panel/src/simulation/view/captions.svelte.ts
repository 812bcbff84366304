/** Storage key for: captions are not to be read aloud. */
const kept = "squelch.simulation.captions";

let aloud = $state(localStorage.getItem(kept) !== "silent");

/** Whether screen readers read captions. */
export const readAloud = (): boolean => aloud;

export function setReadAloud(on: boolean): void {
  aloud = on;
  localStorage.setItem(kept, on ? "aloud" : "silent");
}
