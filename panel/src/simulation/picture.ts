import type { Message } from "../link/wasm";
import type { ChannelState, DispatchNotification, EmergencyEvent, Listener, Member, PatchStatus, TalkingState } from "../wire.gen";

/** The radio as its messages describe it: who is where, who talks, what is patched. Channels are frequencies. */
export class Picture {
  readonly #speaking = new Map<number, string>();
  readonly #scans = new Map<number, Set<string>>();
  readonly #floor = new Map<string, Set<number>>();
  readonly #base = new Map<string, string>();
  readonly #patches = new Map<string, PatchStatus>();
  readonly #panics = new Map<string, Set<number>>();
  readonly #alerts = new Set<string>();
  /** Open emergencies: id → unit. */
  readonly #emergencies = new Map<string, number>();

  hear(m: Message): void {
    switch (m.name) {
      case "speakerJoined": {
        const { serverId, frequency } = m.payload as Member;
        this.#speaking.set(serverId, frequency);
        break;
      }
      case "speakerLeft": {
        const { serverId, frequency } = m.payload as Member;
        if (this.#speaking.get(serverId) === frequency) this.#speaking.delete(serverId);
        break;
      }
      case "listenerJoined":
      case "listenerLeft": {
        const { serverId, frequency } = m.payload as Listener;
        put(this.#scans, serverId, frequency, m.name === "listenerJoined");
        break;
      }
      case "talkingState": {
        const { serverId, frequency, state } = m.payload as TalkingState;
        put(this.#floor, frequency, serverId, state);
        break;
      }
      case "channelState": {
        const { frequency, controlFrequency } = m.payload as ChannelState;
        if (controlFrequency) this.#base.set(frequency, controlFrequency);
        break;
      }
      case "patchStatus": {
        const p = m.payload as PatchStatus;
        if (p.active) this.#patches.set(p.patchId, p);
        else this.#patches.delete(p.patchId);
        break;
      }
      case "emergency": {
        const { id, serverId, closedAt } = m.payload as EmergencyEvent;
        if (closedAt === null) this.#emergencies.set(id, serverId);
        else this.#emergencies.delete(id);
        break;
      }
      case "dispatchNotification":
        this.#notified(m.payload as DispatchNotification);
    }
  }

  #notified(n: DispatchNotification): void {
    const at = n.frequency ?? "";
    if (n.type === "panic" || n.type === "panicCleared") put(this.#panics, at, n.serverId ?? 0, n.type === "panic");
    if (n.type === "alert") this.#alerts.add(at);
    if (n.type === "alertCleared") this.#alerts.delete(at);
  }

  /** Where a user may be talked to, or null. In a talkgroup it is the working frequency. */
  channelOf(id: number): string | null {
    return this.#speaking.get(id) ?? null;
  }

  /** The configured channel that a frequency belongs to. */
  baseOf(frequency: string): string {
    return this.#base.get(frequency) ?? frequency;
  }

  scansOf(id: number): string[] {
    return [...(this.#scans.get(id) ?? [])].sort();
  }

  /** Whether anybody but this user is heard there. */
  busy(frequency: string, id: number): boolean {
    return [...(this.#floor.get(frequency) ?? [])].some((other) => other !== id);
  }

  /** Who talks there. */
  talkers(frequency: string): number[] {
    return [...(this.#floor.get(frequency) ?? [])];
  }

  inPanic(id: number): boolean {
    return [...this.#panics.values()].some((who) => who.has(id));
  }

  /** The id of a unit's open emergency; null: it has none. */
  emergencyOf(unit: number): string | null {
    for (const [id, of] of this.#emergencies) if (of === unit) return id;
    return null;
  }

  /** An emergency or an alert is on there: idle talk is out of place. */
  tense(frequency: string): boolean {
    const base = this.baseOf(frequency);
    return this.#panics.has(base) || this.#alerts.has(base);
  }

  patchLabelled(label: string): string | null {
    for (const p of this.#patches.values()) if (p.label === label) return p.patchId;
    return null;
  }
}

/** Adds a member to a set in a map, or removes it; empty sets are deleted. */
function put<K, V>(sets: Map<K, Set<V>>, key: K, member: V, on: boolean): void {
  const set = sets.get(key) ?? new Set();
  if (on) set.add(member);
  else set.delete(member);
  if (set.size > 0) sets.set(key, set);
  else sets.delete(key);
}
