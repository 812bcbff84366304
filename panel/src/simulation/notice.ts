import type { Desk } from "../state/desk";
import type { State } from "../state/state";
import type { Store } from "../state/store.svelte";

/** What the trainee does that the radio does not hear of. Channels are frequencies. */
export type Noticed = (event: "acknowledgeAlert" | "monitors" | "targets" | "replay", channels: string[]) => void;

/** Tells what happens at the desk: alerts acknowledged, channels monitored and talked on, replays. */
export function watch(store: Pick<Store, "watch">, noticed: Noticed): void {
  store.watch((now, before) => {
    const seen = Object.keys(now.radio.alerts).filter((f) => now.radio.alerts[f]?.seen && before.radio.alerts[f]?.seen === false);
    if (seen.length > 0) noticed("acknowledgeAlert", seen);
    if (now.desk !== before.desk) {
      noticed("monitors", Object.keys(now.desk.scans));
      noticed("targets", targets(now.desk));
    }
    const replayed = replays(now, before);
    if (replayed.length > 0) noticed("replay", replayed);
  });
}

function targets({ joined, selected }: Desk): string[] {
  return [...new Set([...(joined === null ? [] : [joined]), ...selected])];
}

/** The channels whose replay has begun. */
function replays({ sound: { recall } }: State, { sound: { recall: last } }: State): string[] {
  if (!recall?.playing || (last?.playing && last.bursts === recall.bursts)) return [];
  return recall.channel === null ? recall.bursts.map((b) => b.channel) : [recall.channel];
}
