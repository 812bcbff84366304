import { beforeEach, expect, it, vi } from "vitest";
import { testPorts, type TestPorts } from "../action/ports.testing";
import type { State } from "../state/state";
import { makeTheme, type ThemeRun } from "./api";
import { testDom } from "./dom.testing";
import { type DispatchEvents, eventNames } from "./table.gen";
import type { Emergency } from "../wire.gen";

let p: TestPorts;
let run: ThemeRun;
let errors: string[];
let warnings: string[];
beforeEach(() => {
  p = testPorts();
  errors = [];
  warnings = [];
  run = makeTheme(p, testDom(), { error: (where, e) => void errors.push(`${where}: ${String(e)}`), warn: (t) => void warnings.push(t) });
});
const told = (): Promise<void> => new Promise((next) => setTimeout(next));
const desk = (more: Partial<State["desk"]>): void => p.store.change((s) => ({ ...s, desk: { ...s.desk, ...more } }));
const radio = (more: Partial<State["radio"]>): void => p.store.change((s) => ({ ...s, radio: { ...s.radio, ...more } }));
const keyed = (target: State["ptt"]["target"]): void => p.store.change((s) => ({ ...s, ptt: { ...s.ptt, state: "TX", source: "key", target, granted: ["460.25"] } }));

const emergency: Emergency = {
  id: "e-1", serverId: 7, unitId: "4A-12", name: "Ana Ruiz", frequency: "460.25", raisedAt: 5, ackBy: null, ackAt: null, ackById: null,
  endedAt: null, endedBy: null, closedBy: null, closedAt: null, closedById: null, reason: null, note: null,
};

/** For each event: what it tells at once, a change that it is about, and what it tells then. */
const table: { [E in keyof DispatchEvents]: [unknown, () => void, unknown] } = {
  "dispatch:zones": [
    { zones: expect.arrayContaining([expect.objectContaining({ id: "1" })]) },
    () => radio({ live: { ...p.store.now.radio.live, "460.3": { frequency: "460.3", control: null, speakers: [8], listeners: [], talkers: [] } } }),
    { zones: expect.arrayContaining([expect.objectContaining({ channels: expect.arrayContaining([expect.objectContaining({ frequency: "460.3", users: [expect.objectContaining({ id: "8" })] })]) })]) },
  ],
  "dispatch:ptt": [{ active: false }, () => keyed({ kind: "global" }), { active: true }],
  "dispatch:channel": [{ freq: "" }, () => desk({ joined: "460.25" }), { freq: "460.25" }],
  "dispatch:channel-ptt": [{ active: false, freq: "" }, () => keyed({ kind: "channel", frequency: "460.25" }), { active: true, freq: "460.25" }],
  "dispatch:voice-status": [{ status: "MUTED" }, () => keyed({ kind: "global" }), { status: "TX (Opus)" }],
  "dispatch:connection": [{ connected: true, health: "disconnected" }, () => p.session({ health: "stale" }), { connected: true, health: "stale" }],
  "dispatch:alerts": [
    { alerts: [] },
    () => radio({ alerts: { "460.25": { frequency: "460.25", config: { name: "SIGNAL 100" }, since: 0, by: "", seen: false } } }),
    { alerts: [{ id: "460.25", name: "SIGNAL 100" }] },
  ],
  "dispatch:alert-types": [
    { alertTypes: [expect.objectContaining({ name: "SIGNAL 100" }), expect.objectContaining({ name: "SIGNAL 3" })] },
    () => radio({ config: { ...p.store.now.radio.config!, alerts: [{ name: "STORM" }] } }),
    { alertTypes: [{ id: "STORM", name: "STORM" }] },
  ],
  "dispatch:scans": [{ scanned: [] }, () => desk({ scans: { "154.28": 0 } }), { scanned: ["154.28"] }],
  "dispatch:patches": [
    { patches: [] },
    () => radio({ patches: [{ id: "p", label: "", frequencies: ["1", "2"], createdBy: -1, createdAt: 1 }] }),
    { patches: [{ id: "p", label: "", frequencies: ["1", "2"], createdBy: -1, createdAt: 1 }] },
  ],
  "dispatch:transmissions": [
    { transmissions: [] },
    () => radio({ log: [{ id: "t", serverId: 7, name: "", unitId: null, frequency: "1", encoding: "opus", startedAt: 1, endedAt: null, durationMs: 0 }] }),
    { transmissions: [expect.objectContaining({ id: "t" })] },
  ],
  "dispatch:callsign": [{ callsign: "" }, () => desk({ callsign: "D-1" }), { callsign: "D-1" }],
  "dispatch:announcement-group": [{ groupId: null }, () => desk({ group: "g1" }), { groupId: "g1" }],
  "dispatch:settings": [
    { settings: expect.objectContaining({ voiceVolume: 0.8 }) },
    () => desk({ settings: { ...p.store.now.desk.settings, voiceVolume: 0.3 } }),
    { settings: expect.objectContaining({ voiceVolume: 0.3 }) },
  ],
  "dispatch:emergencies": [
    { emergencies: [] },
    () => radio({ emergencies: [emergency] }),
    { emergencies: [expect.objectContaining({ id: "e-1", name: "Ana Ruiz", ackBy: null })] },
  ],
};

it.each(eventNames)("%s tells the present state at once, and what it is about, until it is unsubscribed", async (name) => {
  const [first, change, then] = table[name];
  const heard = vi.fn();
  run.dispatch.on(name, heard);
  expect(heard.mock.calls).toEqual([[first]]);
  p.store.change((s) => ({ ...s, screen: { ...s.screen, filter: "other" } })); // nothing that themes hear of
  await told();
  expect(heard).toHaveBeenCalledTimes(1);
  change();
  await told();
  expect(heard.mock.calls.slice(1)).toEqual([[then]]);
  run.dispatch.off(name, heard);
  p.store.change(() => ({ ...testPorts().store.now, desk: { ...p.store.now.desk, callsign: "other", group: null, joined: null } }));
  await told();
  expect(heard).toHaveBeenCalledTimes(2);
});

it("the same callback twice is one subscription", async () => {
  const heard = vi.fn();
  run.dispatch.on("dispatch:callsign", heard);
  run.dispatch.on("dispatch:callsign", heard);
  desk({ callsign: "D-1" });
  await told();
  expect(heard).toHaveBeenCalledTimes(2);
  run.dispatch.off("dispatch:callsign", heard);
  desk({ callsign: "D-2" });
  await told();
  expect(heard).toHaveBeenCalledTimes(2);
});

it("a burst is told once, with its end", async () => {
  const heard = vi.fn();
  run.dispatch.on("dispatch:callsign", heard);
  for (const callsign of ["A", "B", "C"]) desk({ callsign });
  await told();
  expect(heard.mock.calls).toEqual([[{ callsign: "" }], [{ callsign: "C" }]]);
  desk({ callsign: "D" });
  desk({ callsign: "C" });
  await told();
  expect(heard).toHaveBeenCalledTimes(2);
});

it("a callback that throws, or whose promise is rejected, is reported and disturbs nobody", async () => {
  const heard = vi.fn();
  run.dispatch.on("dispatch:callsign", () => { throw new Error("bang"); });
  run.dispatch.on("dispatch:callsign", (async () => { throw new Error("later"); }) as () => void);
  run.dispatch.on("dispatch:callsign", heard);
  expect(() => desk({ callsign: "D-1" })).not.toThrow();
  await told();
  expect(heard).toHaveBeenCalledTimes(2);
  expect(errors.sort()).toEqual([...Array(2).fill("the callback of dispatch:callsign: Error: bang"), ...Array(2).fill("the callback of dispatch:callsign: Error: later")]);
});

it("what one callback does to its payload, no other sees", async () => {
  const heard = vi.fn();
  run.dispatch.on("dispatch:patches", ({ patches }) => void (patches.length = 0));
  run.dispatch.on("dispatch:patches", heard);
  radio({ patches: [{ id: "p", label: "", frequencies: ["1", "2"], createdBy: -1, createdAt: 1 }] });
  await told();
  expect(heard.mock.calls[1]![0].patches).toHaveLength(1);
  expect(p.store.now.radio.patches).toHaveLength(1);
});

it("a callback may unsubscribe itself and others, and one that changes what it hears of does not stop the page", async () => {
  let n = 0;
  const other = vi.fn();
  const self = (): void => {
    run.dispatch.off("dispatch:callsign", self);
    run.dispatch.off("dispatch:callsign", other);
  };
  run.dispatch.on("dispatch:callsign", self);
  run.dispatch.on("dispatch:callsign", other);
  desk({ callsign: "D-1" });
  await told();
  expect(other).toHaveBeenCalledTimes(2); // it subscribed after self had unsubscribed it
  run.dispatch.on("dispatch:settings", ({ settings }) => {
    n++;
    run.dispatch.updateSettings({ voiceVolume: settings.voiceVolume === 0.5 ? 0.6 : 0.5 });
  });
  await told(); // comes at all
  expect(n).toBeGreaterThan(0);
  run.dispose();
});

it("an unknown event and what is not a function are named in a warning", () => {
  run.dispatch.on("dispatch:zone" as never, () => undefined);
  run.dispatch.on("dispatch:zones", 5 as never);
  run.dispatch.off("zones" as never, () => undefined);
  expect(warnings).toEqual([
    expect.stringContaining('there is no event "dispatch:zone"; want one of dispatch:zones, '),
    'dispatch.on("dispatch:zones"): want a function to call back',
    expect.stringContaining('dispatch.off: there is no event "zones"'),
  ]);
});

it("watches the store only while somebody subscribes", () => {
  const watch = vi.spyOn(p.store, "watch");
  const own = makeTheme(p, testDom(), { error: () => undefined, warn: () => undefined });
  expect(watch).not.toHaveBeenCalled();
  const f = (): void => undefined;
  own.dispatch.on("dispatch:zones", f);
  own.dispatch.on("dispatch:ptt", f);
  expect(watch).toHaveBeenCalledTimes(1);
});

it("a theme that has ended hears nothing any more", async () => {
  const heard = vi.fn();
  run.dispatch.on("dispatch:callsign", heard);
  desk({ callsign: "D-1" }); // on its way
  run.dispose();
  run.dispatch.on("dispatch:ptt", heard);
  desk({ callsign: "D-2" });
  await told();
  expect(heard).toHaveBeenCalledTimes(1);
});

it("on a radio of 160 channels a change of one makes one channel anew, and nothing for who does not hear of it", async () => {
  const frequencies = Array.from({ length: 160 }, (_, i) => `${150 + i}.5`);
  const channels = frequencies.map((frequency) => ({ id: frequency, frequency, name: frequency, type: "conventional", canTransmit: true }));
  const zones = [{ id: "1", name: "All", channels }] as unknown as State["radio"]["zones"];
  const live = Object.fromEntries(frequencies.map((frequency) => [frequency, { frequency, control: null, speakers: [7, 8], listeners: [], talkers: [] }]));
  radio({ zones, channels: Object.fromEntries(channels.map((c) => [c.frequency, c])) as unknown as State["radio"]["channels"], live });
  const zonesHeard = vi.fn();
  const callsign = vi.fn();
  run.dispatch.on("dispatch:zones", zonesHeard);
  run.dispatch.on("dispatch:callsign", callsign);
  const made = vi.spyOn(JSON, "stringify"); // a channel that is made anew is compared with what it was
  for (let i = 0; i < 200; i++) {
    const f = frequencies[i % 160]!;
    radio({ live: { ...p.store.now.radio.live, [f]: { ...p.store.now.radio.live[f]!, talkers: i % 2 ? [] : [{ id: 7, since: i }], listeners: Array.from({ length: i + 1 }, (_, n) => 100 + n) } } });
    await Promise.resolve();
    await Promise.resolve();
  }
  const compared = made.mock.calls.length;
  made.mockRestore();
  expect(zonesHeard).toHaveBeenCalledTimes(201);
  expect(compared).toBeLessThanOrEqual(2 * 200);
  expect(callsign).toHaveBeenCalledTimes(1);
});

it("an emergency that is acknowledged, or closed, is told", async () => {
  radio({ emergencies: [emergency] });
  const heard: unknown[] = [];
  run.dispatch.on("dispatch:emergencies", ({ emergencies }) => void heard.push(emergencies.map((e) => e.ackBy)));
  radio({ emergencies: [{ ...emergency, ackBy: "D-2", ackAt: 9, ackById: -2 }] });
  await told();
  radio({ emergencies: [] });
  await told();
  expect(heard).toEqual([[null], ["D-2"], []]);
});
