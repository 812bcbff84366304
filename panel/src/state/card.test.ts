import { describe, expect, test } from "vitest";
import type { ConfigBody, Emergency } from "../wire.gen";
import { cardOf, type CardState, cardStates, sameCard, unitsOn } from "./card";
import type { Desk } from "./desk";
import type { Live, Transmission } from "./radio";
import { applyConfig } from "./status";
import { initial, type State } from "./state";

const channel = (frequency: string, type = "conventional") => ({ id: frequency, name: `CH ${frequency}`, type, frequency, canTransmit: true });
const channels = [channel("1"), channel("2"), channel("800", "trunked")];
const config = {
  zones: [{ id: "z", name: "Z", nacIds: [], channels, Channels: channels }],
  announcementGroups: [{ id: "all", name: "All", frequencies: ["1", "2"] }],
} as unknown as ConfigBody;
const radio = applyConfig(initial.radio, config);
const users = Object.fromEntries(
  [{ id: 7, name: "Ana Ruiz", unitId: "4A-12" }, { id: 8, name: "Kay Moss", unitId: "E-9" }, { id: -2, name: "SOUTH", unitId: null }, { id: -1, name: "D-1", unitId: null }].map(
    (u) => [u.id, { ...u, nacId: null, callsign: null }],
  ),
);

/** A console on the air that monitors channel 1, where Ana Ruiz is. */
const base: State = {
  ...initial,
  session: { ...initial.session, me: -1, connected: true, health: "connected" },
  radio: { ...radio, users, live: { 1: live("1") } },
  desk: { ...initial.desk, scans: { 1: 0 } },
  sound: { ...initial.sound, voice: { ...initial.sound.voice, plane: "webrtc", micReady: true } },
};
function live(frequency: string, talkers: [id: number, since: number][] = [], more: Partial<Live> = {}): Live {
  return { frequency, control: null, speakers: [7, -1], listeners: [], talkers: talkers.map(([id, since]) => ({ id, since })), ...more };
}

type Change = (s: State) => State;
const all = (...changes: Change[]): State => changes.reduce((s, f) => f(s), base);
const talks = (...talkers: [number, number][]): Change => (s) => ({
  ...s, radio: { ...s.radio, live: { ...s.radio.live, 1: live("1", [...(s.radio.live["1"]?.talkers ?? []).map((t): [number, number] => [t.id, t.since]), ...talkers]) } },
});
const desk = (more: Partial<Desk>): Change => (s) => ({ ...s, desk: { ...s.desk, ...more } });
const ptt = (more: Partial<State["ptt"]>): Change => (s) => ({ ...s, ptt: { ...s.ptt, target: { kind: "global" }, ...more } });
const record = (more: Partial<Emergency> = {}): Emergency => ({
  id: "e-1", serverId: 8, unitId: "E-9", name: "Kay Moss", frequency: "1", raisedAt: 100, ackBy: null, ackById: null, ackAt: null,
  endedAt: null, endedBy: null, closedBy: null, closedById: null, closedAt: null, reason: null, note: null, ...more,
});
const raised = (more: Partial<Emergency> = {}): Change => (s) => ({ ...s, radio: { ...s.radio, emergencies: [...s.radio.emergencies, record(more)] } });

/** What brings about each state, alone. */
const causes: Record<Exclude<CardState, "idle">, Change> = {
  em: raised(),
  ended: raised({ endedAt: 200, endedBy: "unit" }),
  ack: raised({ ackAt: 150, ackBy: "D-2" }),
  link: (s) => ({ ...s, session: { ...s.session, connected: false, health: "disconnected" } }),
  overridden: (s) => ptt({ state: "TX", granted: ["1"] })(talks([-1, 50], [-2, 60])(s)),
  over: (s) => ptt({ state: "TX", granted: ["1"], override: true })(talks([8, 40], [-1, 50])(s)),
  tx: (s) => ptt({ state: "TX", granted: ["1"] })(talks([-1, 50])(s)),
  wait: ptt({ state: "REQUESTED", asked: ["1"] }),
  busy: (s) => ptt({ state: "DENIED", denials: [{ frequency: "1", reason: "busy", holder: 7 }] })(talks([7, 40])(s)),
  denied: ptt({ state: "DENIED", denials: [{ frequency: "1", reason: "No permission", holder: null }] }),
  noaudio: (s) => ({ ...talks([7, 40])(s), sound: { ...s.sound, faults: [{ serverId: 7, frequency: "1", since: 41 }] } }),
  rx: talks([7, 40]),
  off: (s) => desk({ scans: {} })(talks([7, 40])(s)),
};

describe("every state has its cause", () => {
  test("and nothing is idle", () => expect(cardOf(base, "1")).toMatchObject({ state: "idle", since: null, name: "" }));
  for (const [state, cause] of Object.entries(causes)) test(state, () => expect(cardOf(all(cause), "1").state).toBe(state));
});

describe("what goes before what", () => {
  // Not all pairs can be at once: one is on the air, asks, or is denied. Those that
  // can are tried, whichever comes first.
  const pairs: [CardState, CardState][] = [
    ...(["em", "ended", "ack"] as const).flatMap((e) => (["link", "over", "overridden", "tx", "wait", "busy", "denied", "noaudio", "rx", "off"] as const).map((v): [CardState, CardState] => [e, v])),
    ...(["over", "overridden", "tx", "wait", "busy", "denied", "noaudio", "rx", "off"] as const).map((v): [CardState, CardState] => ["link", v]),
    ...(["busy", "noaudio", "rx", "off"] as const).map((v): [CardState, CardState] => ["tx", v]),
    ...(["noaudio", "rx", "off"] as const).flatMap((v): [CardState, CardState][] => [["wait", v], ["busy", v], ["denied", v]]),
  ];
  const both = (a: CardState, b: CardState): State[] => {
    const [x, y] = [causes[a as keyof typeof causes], causes[b as keyof typeof causes]];
    return [all(x, y), all(y, x)];
  };
  for (const [first, second] of pairs.filter(([a, b]) => !(a === "tx" && b === "busy")))
    test(`${first} before ${second}`, () => {
      // The push-to-talk has one state, so the cause that sets it is applied last.
      const now = both(second, first)[0]!;
      expect(cardOf(now, "1").state).toBe(first);
    });
  test("an emergency that alarms before one that does not", () => {
    expect(cardOf(all(raised({ ackAt: 1, ackBy: "D-2" }), raised({ id: "e-2", raisedAt: 300 })), "1")).toMatchObject({ state: "em", more: 1, emergency: { id: "e-2" } });
  });
  test("all of these belong to the same list", () => expect(new Set([...Object.keys(causes), "idle"])).toEqual(new Set(cardStates)));
});

describe("who is named", () => {
  test("the talker with unit and time", () => expect(cardOf(all(causes.rx), "1")).toMatchObject({ name: "Ana Ruiz", unit: "4A-12", since: 40, talker: 7 }));
  test("the one who began first", () => expect(cardOf(all(talks([8, 30], [7, 40])), "1")).toMatchObject({ name: "Kay Moss", since: 30 }));
  test("nobody else while this console talks", () => expect(cardOf(all(causes.tx), "1")).toMatchObject({ name: "", unit: "D-1", since: 50 }));
  test("who is overridden, and who overrides", () => {
    expect(cardOf(all(causes.over), "1")).toMatchObject({ name: "", over: "Kay Moss", since: 50 });
    expect(cardOf(all(causes.overridden), "1")).toMatchObject({ name: "SOUTH", unit: "", since: 60 });
  });
  test("the holder of a channel that was denied; without a timer if he is not known to talk", () => {
    expect(cardOf(all(causes.busy), "1")).toMatchObject({ name: "Ana Ruiz", since: 40 });
    expect(cardOf(all(ptt({ state: "DENIED", denials: [{ frequency: "1", reason: "busy", holder: 8 }] })), "1")).toMatchObject({ state: "busy", name: "Kay Moss", since: null });
  });
  test("why a channel was denied, until the key is released", () => {
    expect(cardOf(all(causes.denied), "1")).toMatchObject({ reason: "No permission", since: null });
    expect(cardOf(all(causes.denied, ptt({ state: "IDLE" })), "1").state).toBe("idle");
  });
  test("a channel taken by the service names who has it", () => {
    expect(cardOf(all(talks([8, 60]), ptt({ state: "DENIED", lost: ["1"] })), "1")).toMatchObject({ state: "overridden", name: "Kay Moss" });
  });
  test("the last known talker without a link, and no time", () => {
    expect(cardOf(all(causes.rx, causes.link), "1")).toMatchObject({ name: "Ana Ruiz", since: null });
  });
  test("below an emergency, who talks", () => {
    expect(cardOf(all(causes.rx, causes.em), "1")).toMatchObject({ state: "em", voice: "rx", name: "Ana Ruiz", emergency: { name: "Kay Moss" } });
  });
  test("a talker without audio before one who is heard", () => {
    expect(cardOf(all(talks([8, 30]), causes.noaudio), "1")).toMatchObject({ state: "noaudio", name: "Ana Ruiz" });
  });
});

describe("what is heard", () => {
  const off = { scans: {} };
  test("activity that is not heard is never shown as received", () => {
    expect(cardOf(all(causes.rx, desk(off)), "1")).toMatchObject({ state: "off", heard: false });
    expect(cardOf(all(causes.rx, desk({ levels: { 1: { volume: 1, pan: 0, muted: true } } })), "1")).toMatchObject({ state: "off", heard: true, muted: true });
  });
  test("monitored, joined, selected and opened channels are", () => {
    for (const more of [{ joined: "1" }, { selected: ["1"] }, { auto: { 1: { emergency: "e-1", touched: false } } }])
      expect(cardOf(all(causes.rx, desk({ ...off, ...more })), "1")).toMatchObject({ state: "rx", heard: true });
  });
  test("a channel that may not be talked on, or any without a microphone, can only be listened to", () => {
    expect(cardOf(base, "1").listenOnly).toBe(false);
    const closed = { ...base.radio, channels: { ...base.radio.channels, 2: { ...base.radio.channels["2"]!, canTransmit: false } } };
    expect(["1", "2"].map((f) => cardOf({ ...base, radio: closed }, f).listenOnly)).toEqual([false, true]);
    const mute = { ...base.sound, voice: { ...base.sound.voice, micReady: false, noMicrophone: "missing" as const } };
    expect(["1", "2"].map((f) => cardOf({ ...base, sound: mute }, f).listenOnly)).toEqual([true, true]);
  });
  test("an emergency opens a muted channel, until it is set by hand", () => {
    const muted = { levels: { 1: { volume: 1, pan: 0, muted: true } } };
    expect(cardOf(all(causes.rx, desk({ ...muted, auto: { 1: { emergency: "e-1", touched: false } } })), "1")).toMatchObject({ state: "rx", auto: true, muted: false });
    expect(cardOf(all(causes.rx, desk({ ...muted, auto: { 1: { emergency: "e-1", touched: true } } })), "1")).toMatchObject({ state: "off", auto: false });
  });
  test("a unit that is followed is heard everywhere, and named", () => {
    expect(cardOf(all(talks([8, 30], [7, 40]), desk({ ...off, follows: [7] })), "1")).toMatchObject({ state: "rx", name: "Ana Ruiz", follows: "Ana Ruiz" });
  });
  test("nothing is heard while sound is off, without voice, and without a free slot", () => {
    for (const more of [{ off: "click" as const }, { off: "device" as const }, { voice: { ...base.sound.voice, plane: "none" as const } }, { waiting: [{ serverId: 7, frequency: "1" }] }])
      expect(cardOf(all(causes.rx, (s) => ({ ...s, sound: { ...s.sound, ...more } })), "1").state).toBe("noaudio");
    expect(cardOf(all(causes.rx, (s) => ({ ...s, sound: { ...s.sound, off: "start" } })), "1").state).toBe("rx");
  });
});

describe("flags", () => {
  test("what push-to-talk keys, and what was chosen", () => {
    expect(cardOf(all(desk({ joined: "1" })), "1")).toMatchObject({ target: true, chosen: true });
    expect(cardOf(all(desk({ joined: "800", group: "all" })), "1")).toMatchObject({ target: true, chosen: false });
  });
  test("patch, alert, priority and what was closed last", () => {
    const s = all((x) => ({
      ...x,
      radio: {
        ...x.radio,
        patches: [{ id: "p-1", label: "Patch 1", frequencies: ["1", "2"], createdBy: -2, createdAt: 1 }],
        alerts: { 1: { frequency: "1", config: { name: "SIGNAL 3" }, since: 9, by: "D-2", seen: true }, 2: { frequency: "2", config: { name: "Boop", toneOnly: true }, since: 9, by: "", seen: false } },
        closed: [record({ closedAt: 900, closedBy: "D-1" })],
      },
    }), desk({ scans: { 1: 2 } }));
    expect(cardOf(s, "1")).toMatchObject({ state: "idle", patch: "Patch 1", alert: { by: "D-2" }, priority: 2, closedAt: 900 });
    expect(cardOf(s, "2")).toMatchObject({ alert: null, patch: "Patch 1", priority: undefined, closedAt: null });
  });
  test("units are radios, not consoles; the last transmission is the newest that is over", () => {
    const t = (id: string, endedAt: number | null): Transmission => ({ id, serverId: 7, name: "Ana Ruiz", unitId: null, frequency: "1", encoding: "opus", startedAt: 1, endedAt, durationMs: 5 });
    expect(cardOf(all((s) => ({ ...s, radio: { ...s.radio, log: [t("3", null), t("2", 8), t("1", 4)] } })), "1")).toMatchObject({ units: 1, last: { id: "2" } });
    expect(unitsOn(base.radio, "1")).toEqual([7, -1]);
  });
  test("a talkgroup shows what goes on on its working frequencies", () => {
    const s = all((x) => ({ ...x, radio: { ...x.radio, live: { 800.5: live("800.5", [[8, 5]], { control: "800", speakers: [8] }) } } }), desk({ scans: { 800: 0 } }));
    expect(cardOf(s, "800")).toMatchObject({ state: "rx", units: 1, name: "Kay Moss" });
    expect(cardOf(s, "1")).toMatchObject({ state: "idle", units: 0 });
  });
});

test("a card stays as it is while others talk", () => {
  const quiet = cardOf(base, "2");
  expect(sameCard(quiet, cardOf(all(causes.rx, causes.em, causes.over), "2"))).toBe(true);
  expect(sameCard(cardOf(base, "1"), cardOf(all(causes.rx), "1"))).toBe(false);
});
