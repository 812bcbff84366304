// A console without a radio behind it: what its actions ask of the link is written
// down.

import { vi } from "vitest";
import type { Link } from "../link/link";
import type { Ports, SoundPort } from "../ports";
import type { State } from "../state/state";
import { Store } from "../state/store.svelte";
import { applyConfig } from "../state/status";
import type { ConfigBody, ConfigChannel } from "../wire.gen";

export interface TestPorts extends Ports {
  /** Everything that was sent, in order: ["setSpeakerChannel", "154.755"]. */
  readonly sent: [string, unknown][];
  readonly faults: string[];
}

const channel = (frequency: string, name: string, more: Partial<ConfigChannel> = {}): Partial<ConfigChannel> => ({
  frequency, name, type: "conventional", canTransmit: true, ...more,
});

/** Two zones; LISTEN cannot be talked on. */
export const testConfig = {
  serverName: "Test", version: "0", useCallsignSystem: true,
  zones: [
    { id: "1", name: "Police", channels: [channel("154.755", "LSPD DISP"), channel("460.25", "TAC 1"), channel("460.3", "TAC 2")] },
    { id: "2", name: "Fire", channels: [channel("154.28", "FIRE DISP"), channel("155.34", "LISTEN", { canTransmit: false }), channel("851.0", "STATEWIDE", { type: "trunked" })] },
  ],
  alerts: [{ name: "SIGNAL 100", isPersistent: true }, { name: "SIGNAL 3", isPersistent: false }],
  tones: [{ name: "PANIC", file: "panic.wav" }, { name: "PAGE 1", file: "page.wav" }],
  themes: [
    { slug: "wall", name: "Wall screen", version: "1.0", author: "", description: "", hasJs: true, build: "b1", css: "style.css", builtIn: false },
    { slug: "quiet", name: "Quiet night", version: "2.0", author: "", description: "", hasJs: false, build: "b2", css: "style.css", builtIn: true },
  ],
  defaultTheme: "quiet",
  announcementGroups: [{ id: "g1", name: "Everybody", frequencies: ["154.755", "154.28"] }],
} as unknown as ConfigBody;

/** A desk on the air with two units: Ana Ruiz (7) on LSPD DISP, and Ben Okoye (8) on FIRE DISP. */
export function testPorts(): TestPorts {
  vi.stubGlobal("document", { visibilityState: "hidden", documentElement: { lang: "" } });
  const store = new Store();
  const sent: [string, unknown][] = [];
  const faults: string[] = [];
  const note = (name: string, payload: unknown): Promise<never> => {
    sent.push([name, payload]);
    return Promise.resolve({ id: "p-1", success: true } as never);
  };
  const sound = new Proxy({}, { get: (_, name) => (name === "recall" ? { play: (...a: unknown[]) => sent.push(["play", a]), stop: () => sent.push(["stop", null]) } : () => undefined) });
  const user = (id: number, name: string, unitId: string): State["radio"]["users"][number] => ({ id, name, nacId: null, unitId, callsign: null });
  const live = (frequency: string, speakers: number[]): State["radio"]["live"][string] => ({ frequency, control: null, speakers, listeners: [], talkers: [] });
  store.change((s) => ({
    ...s,
    session: { ...s.session, phase: "live", connected: true, me: -1 },
    radio: {
      ...applyConfig(s.radio, testConfig),
      users: { 7: user(7, "Ana Ruiz", "4A-12"), 8: user(8, "Ben Okoye", "E-7") },
      live: { "154.755": live("154.755", [7]), "154.28": live("154.28", [8]) },
    },
  }));
  return {
    store, sent, faults,
    sound: sound as SoundPort,
    link: { now: () => 0, tell: note, send: note, request: note, socket: { connected: true } } as unknown as Link,
    session: (more) => store.change((s) => ({ ...s, session: { ...s.session, ...more } })),
    open: async () => undefined,
    enter: async () => undefined,
    leave: () => void sent.push(["leave", null]),
    fault: (title, text) => void faults.push(`${title}: ${text}`),
    attempt: (_, work) => work.then(() => true),
  };
}
