import { describe, expect, it } from "vitest";
import type { AdminParts } from "../wire.gen";
import { canonical, dropZone, newChannel, newCodeplug, newZone, opened, partOf, sent, swapZones, type Document } from "./document";

function document(): Document {
  const config: AdminParts = {
    zones: ["A", "B", "C"].map((name) => ({ ...newZone(), name })),
    alerts: [],
    tones: [],
    volumes: { voice: 50, sfx: 50, audio3d: 50, step: 5 },
    announcementGroups: [],
    codeplugs: [],
    jobCodeplugs: [],
  };
  return opened(config);
}

describe("the edited document", () => {
  it("shows a frequency as the operator wrote it, and sends both spellings' meaning", () => {
    const d = document();
    d.zones[0]?.channels.push({ ...newChannel(), name: "BCSO", frequency: "460.25", display: "460.250" });
    const again = opened(d);
    expect(again.zones[0]?.channels[0]?.frequency).toBe("460.250");
    const channel = sent(again, "zones").zones?.[0]?.channels[0];
    expect([channel?.frequency, channel?.display]).toEqual(["460.250", "460.250"]);
  });

  it("sends a range only of trunked channels", () => {
    const d = document();
    const channel = { ...newChannel(), frequencyRange: ["856", " 857 "] };
    d.zones[0]?.channels.push(channel, { ...channel, type: "trunked" }, { ...channel, type: "trunked", frequencyRange: ["", ""] });
    expect(sent(d, "zones").zones?.[0]?.channels.map((c) => c.frequencyRange)).toEqual([[], ["856", "857"], []]);
  });

  it("keeps codeplugs on their zones when zones move", () => {
    const d = document();
    d.codeplugs.push({ ...newCodeplug(d), zones: [1, 3] });
    swapZones(d, 0, 1);
    expect(d.codeplugs[0]?.zones).toEqual([2, 3]);
    dropZone(d, 0);
    expect(d.codeplugs[0]?.zones).toEqual([1, 2]);
  });

  it("never widens a codeplug to all zones by removing its last one", () => {
    const d = document();
    d.codeplugs.push({ ...newCodeplug(d), zones: [2] }, newCodeplug(d));
    dropZone(d, 1);
    expect(d.codeplugs.map((c) => c.zones)).toEqual([[0], []]);
  });

  it("takes tones that are one name for the tone", () => {
    const d = document();
    d.alerts.push({ name: "Boop", tones: "BEEP" as never });
    expect(opened(d).alerts).toEqual([{ name: "Boop", tone: "BEEP" }]);
  });

  it("finds the part of a path, and the shortest spelling of a frequency", () => {
    expect(["zones[2].channels[1].name", "volumes.voice", "tones", "zonesX"].map(partOf)).toEqual(["zones", "volumes", "tones", undefined]);
    expect(["460.250", "0154.0", "856", "abc", "1."].map(canonical)).toEqual(["460.25", "154", "856", "abc", "1."]);
  });
});
