import { expect, it } from "vitest";
import { learn, noChannels, strips } from "./channels";

const channel = (frequency: string, type: string) => ({ frequency, type });
const config = { version: "1", zones: [{ channels: [channel("154.755", "conventional"), channel("460.25", "digital"), channel("851.0", "trunked")] }] };
const self = (more: object) => ({ channel: null, listening: [], panic: [], ...more });

it("makes the own channel loud and the scanned ones stand behind it", () => {
  let c = learn(noChannels, "configUpdate", config);
  c = learn(c, "self", self({ channel: "154.755", listening: ["460.25", "155.1"] }));
  const s = strips(c);
  expect(s.get("154.755")).toMatchObject({ selected: true, kind: "conventional", home: "154.755" });
  expect(s.get("460.25")).toMatchObject({ selected: false, kind: "digital" });
  expect(s.get("155.1")).toMatchObject({ selected: false, kind: "conventional" });
});

it("knows a talkgroup by the frequency it works on", () => {
  let c = learn(noChannels, "configUpdate", config);
  c = learn(c, "self", self({ channel: "852.5", controlFrequency: "851.0" }));
  expect(strips(c).get("852.5")).toMatchObject({ selected: true, kind: "trunked", home: "851.0" });
  c = learn(c, "channelState", { frequency: "853.0", controlFrequency: "851.0" });
  expect(strips(c).get("853.0")).toMatchObject({ selected: true, home: "851.0" });
  c = learn(c, "channelDeleted", "853.0");
  expect(strips(c).has("853.0")).toBe(false);
});

it("lets an emergency come through, on the talkgroup too", () => {
  let c = learn(noChannels, "configUpdate", config);
  c = learn(c, "self", self({ channel: "852.5", controlFrequency: "851.0", panic: ["851.0"] }));
  expect(strips(c).get("852.5")!.emergency).toBe(true);
  expect(strips(c).get("154.755")!.emergency).toBe(false);
});

it("keeps its state where an event changes nothing", () => {
  const c = learn(noChannels, "channelState", { frequency: "853.0", controlFrequency: "851.0" });
  expect(learn(c, "channelState", { frequency: "853.0", controlFrequency: "851.0" })).toBe(c);
  expect(learn(c, "channelState", { frequency: "154.755" })).toBe(c);
  expect(learn(c, "talkingState", {})).toBe(c);
  expect(learn(c, "channelDeleted", "1.0")).toBe(c);
});
