import { expect, test } from "vitest";
import { Picture } from "./picture";

function picture(...told: [name: string, payload: object][]): Picture {
  const p = new Picture();
  for (const [name, payload] of told) p.hear({ to: { everyone: true }, name, payload });
  return p;
}

test("a unit is where it joined last, whatever comes first", () => {
  const joined = (frequency: string): [string, object] => ["speakerJoined", { serverId: 7, frequency }];
  const left = (frequency: string): [string, object] => ["speakerLeft", { serverId: 7, frequency }];
  expect(picture(joined("1")).channelOf(7)).toBe("1");
  expect(picture(joined("1"), left("1")).channelOf(7)).toBeNull();
  expect(picture(joined("1"), joined("2"), left("1")).channelOf(7)).toBe("2");
});

test("a channel is busy for the others while somebody talks there", () => {
  const talks = (serverId: number, state: boolean): [string, object] => ["talkingState", { serverId, frequency: "1", state }];
  const p = picture(talks(7, true));
  expect([p.busy("1", 8), p.busy("1", 7), p.busy("2", 8)]).toEqual([true, false, false]);
  expect(picture(talks(7, true), talks(8, true), talks(7, false)).busy("1", 7)).toBe(true);
  expect(picture(talks(7, true), talks(7, false)).busy("1", 8)).toBe(false);
});

test("scans, patches and the talkgroup of a working frequency are known", () => {
  const p = picture(
    ["listenerJoined", { serverId: 7, frequency: "2" }],
    ["listenerJoined", { serverId: 7, frequency: "1" }],
    ["patchStatus", { patchId: "p-1", active: true, label: "Both", frequencies: ["1", "2"] }],
    ["channelState", { frequency: "856.0125", controlFrequency: "856" }],
  );
  expect(p.scansOf(7)).toEqual(["1", "2"]);
  expect([p.patchLabelled("Both"), p.patchLabelled("None")]).toEqual(["p-1", null]);
  expect([p.baseOf("856.0125"), p.baseOf("1")]).toEqual(["856", "1"]);
  p.hear({ to: {}, name: "listenerLeft", payload: { serverId: 7, frequency: "1" } });
  p.hear({ to: {}, name: "patchStatus", payload: { patchId: "p-1", active: false, label: "Both", frequencies: [] } });
  expect([p.scansOf(7), p.patchLabelled("Both")]).toEqual([["2"], null]);
});

test("a channel has no small talk during an alert or a panic", () => {
  const note = (type: string): [string, object] => ["dispatchNotification", { type, frequency: "1", serverId: 7 }];
  expect(picture(note("panic")).inPanic(7)).toBe(true);
  expect(picture(note("panic")).tense("1")).toBe(true);
  expect(picture(note("panic"), note("panicCleared")).inPanic(7)).toBe(false);
  expect(picture(note("panic"), note("panicCleared")).tense("1")).toBe(false);
  expect(picture(note("alert")).tense("1")).toBe(true);
  expect(picture(note("alert")).tense("2")).toBe(false);
  expect(picture(note("alert"), note("alertCleared")).tense("1")).toBe(false);
  expect(picture(note("oneshot")).tense("1")).toBe(false);
});
