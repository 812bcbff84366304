// Notices silence where there should be voice: a talker has a slot, but no packet is
// played. Pure; the voice link calls it several times a second.

import type { Fault } from "../../state/voice";

/** Frames of 20 ms without a packet that make a fault. */
export const faultFrames = 50;

export interface Watched {
  serverId: number;
  frequency: string;
  /** Anything that changes when a packet is played (its RTP timestamp); null: none has been played. */
  mark: number | null;
}

interface Watch {
  mark: number | null;
  movedAt: number;
}

/** FaultWatch remembers when each talker's packets last moved. Times are ms. */
export class FaultWatch {
  #watches = new Map<string, Watch>();
  #faults: Fault[] = [];

  get faults(): readonly Fault[] {
    return this.#faults;
  }

  /** update takes what is in the slots now and says whether the faults have changed. */
  update(slots: readonly Watched[], now: number): boolean {
    const watches = new Map<string, Watch>();
    const faults: Fault[] = [];
    for (const s of slots) {
      const key = `${s.serverId} ${s.frequency}`;
      const before = this.#watches.get(key);
      const moved = before === undefined || before.mark !== s.mark;
      const watch = moved ? { mark: s.mark, movedAt: now } : before;
      watches.set(key, watch);
      if (now - watch.movedAt >= faultFrames * 20) {
        faults.push({ serverId: s.serverId, frequency: s.frequency, since: watch.movedAt });
      }
    }
    const changed =
      faults.length !== this.#faults.length ||
      faults.some((f, i) => f.serverId !== this.#faults[i]!.serverId || f.frequency !== this.#faults[i]!.frequency);
    this.#watches = watches;
    if (changed) this.#faults = faults;
    return changed;
  }
}
