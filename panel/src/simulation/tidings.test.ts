import { expect, test } from "vitest";
import type { Audience } from "../link/wasm";
import { tidingsOf } from "./tidings";

const note = (to: Audience, payload: object, id = 7): ReturnType<typeof tidingsOf> => tidingsOf({ to, name: "dispatchNotification", payload }, id);

test("only those are told whom the message is for", () => {
  const fog = { type: "broadcast", message: "Fog" };
  const told = { told: "Fog", as: "broadcast" };
  expect(note({ everyone: true }, fog)).toEqual(told);
  expect(note({ users: [7] }, fog)).toEqual(told);
  expect(note({ users: [8] }, fog)).toBeNull();
  expect(note({ dispatchers: true }, fog)).toBeNull();
  expect(note({ dispatchers: true }, fog, -2)).toEqual(told);
  expect(note({ everyone: true }, { ...fog, by: 7 })).toBeNull(); // its own words
});

test.each([
  [{ type: "userAlert", serverId: 7, message: "Call me" }, { told: "Call me", as: "message" }],
  [{ type: "userAlert", serverId: 8, message: "Call me" }, null],
  [{ type: "userSwitched", serverId: 7, frequency: "2" }, { told: "2", as: "moved" }],
  [{ type: "userSwitched", serverId: 7, frequency: "856.0125", controlFrequency: "856" }, { told: "856", as: "moved" }],
  [{ type: "userDisconnected", serverId: 7, by: -2, byName: "SOUTH" }, { told: "SOUTH", as: "kicked" }],
  [{ type: "callsign", serverId: 7, callsign: "1A12" }, { told: "1A12", as: "named" }],
  [{ type: "alert", alertConfig: { name: "SIGNAL 100" } }, { told: "SIGNAL 100", as: "alert" }],
  [{ type: "oneshot", alertConfig: { name: "Ping" } }, { told: "Ping", as: "alert" }],
  [{ type: "alertCleared", alertConfig: { name: "SIGNAL 100" } }, { told: "SIGNAL 100", as: "cleared" }],
  [{ type: "panic", serverId: 8, name: "Berta" }, { told: "Berta", as: "panic" }],
  [{ type: "panic", serverId: 8 }, { told: "8", as: "panic" }],
  [{ type: "panicCleared", serverId: 8, by: -1 }, { told: "-1", as: "calmed" }],
  [{ type: "patch", patch: {} }, null], // patchStatus tells of it
])("%j is told as %j", (payload, tidings) => {
  expect(note({ everyone: true }, payload)).toEqual(tidings);
});

test("dispatchers are told once who takes care of an emergency", () => {
  const record = { id: "e-1", ackBy: null, ackById: null, endedAt: null, closedAt: null };
  const told = (more: object, id = -2): ReturnType<typeof tidingsOf> => tidingsOf({ to: { dispatchers: true }, name: "emergency", payload: { ...record, ...more } }, id);
  const taken = { ackBy: "NORTH", ackById: -1 };
  expect(told(taken)).toEqual({ told: "NORTH", as: "acknowledged" });
  expect(told({})).toBeNull(); // raised: the notification tells
  expect(told(taken, -1)).toBeNull(); // its own doing
  expect(told(taken, 7)).toBeNull();
  expect(told({ ...taken, endedAt: 5 })).toBeNull();
  expect(told({ ...taken, endedAt: 5, closedAt: 6 })).toBeNull();
  expect(told({ ...taken, current: true })).toBeNull(); // it was so before this dispatcher came
});

test("tones and patches are told, who talks is not", () => {
  const to = { users: [7] };
  expect(tidingsOf({ to, name: "serverTone", payload: { tone: "BEEP", frequency: "1" } }, 7)).toEqual({ told: "BEEP", as: "tone" });
  expect(tidingsOf({ to, name: "patchStatus", payload: { label: "Both", active: false } }, 7)).toEqual({ told: "Both", as: "unpatched" });
  expect(tidingsOf({ to, name: "talkingState", payload: { serverId: 8, frequency: "1", state: true } }, 7)).toBeNull();
});
