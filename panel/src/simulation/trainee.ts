import type { Message } from "../link/wasm";
import type { EmergencyEvent } from "../wire.gen";
import type { Need } from "./api";

/** What the score needs to know of the radio. */
export interface Known {
  /** The trainee's id. */
  me(): number;
  /** The frequency on which a unit may be talked to. */
  channelOf(unit: number): string | null;
  /** The frequency that a channel's name stands for. */
  frequency(named: string): string | null;
}

/** What the trainee did without a message of the radio, or as a request. */
export interface Did {
  event?: string;
  payload: unknown;
}

/** What the trainee's console is like: what it monitors and talks on, and which emergencies it has tended to. */
export class Trainee {
  #monitors: readonly string[] = [];
  #targets: readonly string[] = [];
  /** Emergencies that the trainee has acknowledged, and those that it has closed: unit → frequency. */
  readonly #acknowledged = new Map<number, string>();
  readonly #closed = new Map<number, string>();

  constructor(private readonly known: Known) {}

  did({ event, payload }: Did): void {
    if (event === "monitors") this.#monitors = channelsIn(payload);
    if (event === "targets") this.#targets = channelsIn(payload);
  }

  hear(m: Message): void {
    const me = this.known.me();
    if (m.name !== "emergency") return;
    // A unit's new emergency has nothing to do with its last one.
    const { serverId, frequency, ackById, closedById } = m.payload as EmergencyEvent;
    mark(this.#acknowledged, serverId, frequency, ackById === me || closedById === me);
    mark(this.#closed, serverId, frequency, closedById === me);
  }

  /** Whether the desk is as a task asks for, however it has come to that. */
  has(need: Need): boolean {
    if ("monitor" in need) return this.#monitors.includes(this.known.frequency(need.monitor) ?? "");
    if ("target" in need) return this.#targets.includes(this.known.frequency(need.target) ?? "");
    if ("acknowledge" in need && need.acknowledge === "panic") return some(this.#acknowledged, need.unit, (f) => need.channel === undefined || this.known.frequency(need.channel) === f);
    if (!("emergency" in need)) return false;
    if (need.emergency === "closed") return some(this.#closed, need.unit, () => true);
    const answers = (f: string): boolean => this.#targets.length === 1 && this.#targets[0] === f;
    return some(this.#acknowledged, need.unit, (f) => need.emergency === "acknowledged" || answers(f));
  }
}

export function channelsIn(payload: unknown): readonly string[] {
  return (payload as { channels?: string[] } | null)?.channels ?? [];
}

function mark(emergencies: Map<number, string>, unit: number, frequency: string, on: boolean): void {
  if (on) emergencies.set(unit, frequency);
  else emergencies.delete(unit);
}

/** Whether one of these emergencies, of that unit if one is named, is where it should be. */
function some(emergencies: ReadonlyMap<number, string>, unit: number | undefined, at: (frequency: string) => boolean): boolean {
  return [...emergencies].some(([id, frequency]) => (unit === undefined || unit === id) && at(frequency));
}
