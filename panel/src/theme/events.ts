// dispatch.on and dispatch.off: what has changed is told once, after whatever changed
// it is done.

import type { State } from "../state/state";
import { voiceStatus } from "../state/state";
import type { Store } from "../state/store.svelte";
import { copy } from "./copy";
import { alertsOf, alertTypesOf, channelHeld, channelOf, emergenciesOf, globalHeld, scannedOf, settingsOf, transmissionsOf } from "./state";
import { type DispatchEvents, eventNames } from "./table.gen";
import { Zones } from "./zones";

type Name = keyof DispatchEvents;
type Callback = (payload: never) => unknown;

/** What an event tells. look returns the same value again, by ===, while nothing has changed. */
interface Watched<P> {
  look(s: State): unknown;
  payload(value: never): P;
}

/** Looks only when one of the sources is another object, and answers with the former value while the new one is equal to it. */
function unless<V>(sources: (s: State) => readonly unknown[], make: (s: State) => V): (s: State) => V {
  let from: readonly unknown[] | null = null;
  let text = "";
  let value: V;
  return (s) => {
    const now = sources(s);
    if (from && now.every((x, i) => x === from![i])) return value;
    from = now;
    const next = make(s);
    const written = JSON.stringify(next);
    if (written !== text) {
      text = written;
      value = next;
    }
    return value;
  };
}

function watched(zones: Zones): { [E in Name]: Watched<DispatchEvents[E]> } {
  return {
    "dispatch:zones": { look: (s) => zones.of(s.radio), payload: (z: DispatchEvents["dispatch:zones"]["zones"]) => ({ zones: copy(z) }) },
    "dispatch:ptt": { look: globalHeld, payload: (active: boolean) => ({ active }) },
    "dispatch:channel": { look: channelOf, payload: (freq: string) => ({ freq }) },
    "dispatch:channel-ptt": { look: channelHeld, payload: (freq: string) => ({ active: freq !== "", freq }) },
    "dispatch:voice-status": { look: voiceStatus, payload: (status: ReturnType<typeof voiceStatus>) => ({ status }) },
    "dispatch:connection": {
      look: unless((s) => [s.session], ({ session: { connected, health } }) => ({ connected, health })),
      payload: (c: DispatchEvents["dispatch:connection"]) => copy(c),
    },
    "dispatch:alerts": {
      look: unless((s) => [s.radio.alerts], alertsOf),
      payload: (alerts: Record<string, string>) => ({ alerts: Object.entries(alerts).map(([id, name]) => ({ id, name })) }),
    },
    "dispatch:alert-types": {
      look: unless((s) => [s.radio.config], alertTypesOf),
      payload: (alertTypes: DispatchEvents["dispatch:alert-types"]["alertTypes"]) => ({ alertTypes: copy(alertTypes) }),
    },
    "dispatch:scans": {
      look: unless((s) => [s.desk.scans, s.desk.auto, s.desk.selected, s.desk.joined, s.radio.zones], scannedOf),
      payload: (scanned: string[]) => ({ scanned: copy(scanned) }),
    },
    "dispatch:patches": {
      look: unless((s) => [s.radio.patches], (s) => s.radio.patches),
      payload: (patches: DispatchEvents["dispatch:patches"]["patches"]) => ({ patches: copy(patches) }),
    },
    "dispatch:transmissions": {
      look: unless((s) => [s.radio.log], transmissionsOf),
      payload: (transmissions: DispatchEvents["dispatch:transmissions"]["transmissions"]) => ({ transmissions: copy(transmissions) }),
    },
    "dispatch:callsign": { look: (s) => s.desk.callsign, payload: (callsign: string) => ({ callsign }) },
    "dispatch:announcement-group": { look: (s) => s.desk.group, payload: (groupId: string | null) => ({ groupId }) },
    "dispatch:settings": {
      look: unless((s) => [s.desk.settings, s.desk.callsign], settingsOf),
      payload: (settings: DispatchEvents["dispatch:settings"]["settings"]) => ({ settings: copy(settings) }),
    },
    "dispatch:emergencies": {
      look: unless((s) => [s.radio.emergencies], emergenciesOf),
      payload: (emergencies: DispatchEvents["dispatch:emergencies"]["emergencies"]) => ({ emergencies: copy(emergencies) }),
    },
  };
}

/** A callback, and what it was told last. */
interface Subscription {
  callback: Callback;
  told: unknown;
}

/** The subscriptions of one theme. */
export class Events {
  readonly #events: { [E in Name]: Watched<unknown> };
  readonly #subscribed = new Map<Name, Subscription[]>();
  #unwatch: (() => void) | null = null;
  #waiting = false;
  #telling = false;
  #over = false;

  /** guard calls the theme's code and deals with what it throws. */
  constructor(
    private readonly store: Pick<Store, "now" | "watch">,
    private readonly guard: (where: string, call: () => unknown) => void,
    zones = new Zones(),
  ) {
    this.#events = watched(zones) as { [E in Name]: Watched<unknown> };
  }

  /** False: there is no such event. */
  on(name: string, callback: Callback): boolean {
    if (!isEvent(name)) return false;
    if (this.#over) return true;
    const all = this.#subscribed.get(name) ?? [];
    if (all.some((x) => x.callback === callback)) return true;
    const subscription = { callback, told: undefined };
    this.#subscribed.set(name, [...all, subscription]);
    this.#unwatch ??= this.store.watch(() => this.#later());
    this.#tell(name, subscription, this.#events[name].look(this.store.now));
    return true;
  }

  /** False: there is no such event. */
  off(name: string, callback: Callback): boolean {
    if (!isEvent(name)) return false;
    const left = (this.#subscribed.get(name) ?? []).filter((x) => x.callback !== callback);
    if (left.length > 0) this.#subscribed.set(name, left);
    else this.#subscribed.delete(name);
    if (this.#subscribed.size === 0) this.#stop();
    return true;
  }

  /** Ends every subscription. */
  dispose(): void {
    this.#over = true;
    this.#subscribed.clear();
    this.#stop();
  }

  #stop(): void {
    this.#unwatch?.();
    this.#unwatch = null;
  }

  /** A burst of changes is told as one. A callback that changes what it hears of never keeps the page from everything else. */
  #later(): void {
    if (this.#waiting) return;
    this.#waiting = true;
    const look = (): void => {
      this.#waiting = false;
      this.#look();
    };
    if (this.#telling) setTimeout(look);
    else void Promise.resolve().then(look);
  }

  #look(): void {
    for (const [name, all] of [...this.#subscribed]) {
      const value = this.#events[name].look(this.store.now);
      for (const one of all) if (one.told !== value && this.#subscribed.get(name)?.includes(one)) this.#tell(name, one, value);
    }
  }

  #tell(name: Name, to: Subscription, value: unknown): void {
    to.told = value;
    const nested = this.#telling;
    this.#telling = true;
    this.guard(`the callback of ${name}`, () => to.callback(this.#events[name].payload(value as never) as never));
    this.#telling = nested;
  }
}

const isEvent = (name: string): name is Name => (eventNames as readonly string[]).includes(name);
