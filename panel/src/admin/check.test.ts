import { describe, expect, it } from "vitest";
import { objections } from "./check";
import { newChannel, newCodeplug, newGroup, newZone, opened, type Document } from "./document";
import { move, remove, rowOf, rowPath, titleOf } from "./row";

function document(): Document {
  const d = opened({ zones: [], alerts: [], tones: [], volumes: { voice: 50, sfx: 50, audio3d: 50, step: 5 }, announcementGroups: [], codeplugs: [], jobCodeplugs: [] });
  d.zones.push({ ...newZone(), name: "North", channels: [{ ...newChannel(), name: "MAIN", frequency: "154.755" }] });
  return d;
}
const at = (d: Document): string[] => objections(d).map((o) => `${o.path} ${o.key}`);

describe("what the page objects to before the service is asked", () => {
  it("is nothing in a good document", () => expect(at(document())).toEqual([]));

  it("is what is missing, out of range or there twice", () => {
    const d = document();
    d.zones[0]?.channels.push({ ...newChannel(), frequency: "15x" }, { ...newChannel(), name: "T", type: "trunked", frequency: "154.7550", frequencyRange: ["857", "856"], coverage: -1 });
    d.alerts.push({ name: " " });
    d.tones.push({ name: "a", file: "x/y.wav" }, { name: "A", file: "" });
    d.volumes.voice = 101;
    d.announcementGroups.push(newGroup(d));
    d.codeplugs.push({ ...newCodeplug(d), nac: 4096, zones: [0] });
    d.jobCodeplugs.push({ job: "", codeplug: "gone" });
    expect(at(d)).toEqual([
      "zones[1].channels[2].name check.missing",
      "zones[1].channels[2].frequency check.frequency",
      "zones[1].channels[3].type check.type",
      "zones[1].channels[3].frequencyRange.high check.band",
      "zones[1].channels[3].coverage check.negative",
      "alerts[1].name check.missing",
      "tones[1].file check.folder",
      "tones[2].name check.twice",
      "tones[2].file check.missing",
      "volumes.voice check.range",
      "announcementGroups[1].name check.missing",
      "codeplugs[1].nac check.range",
      "codeplugs[1].zones check.zones",
      "jobCodeplugs[1].job check.missing",
      "jobCodeplugs[1].codeplug check.codeplug",
    ]);
  });
});

describe("rows", () => {
  it("are found from any path in them, and only if they exist", () => {
    const d = document();
    expect(rowOf(d, "zones[1].channels[1].gps.color")).toMatchObject({ kind: "channel", path: "zones[1].channels[1]", list: "zones[1].channels", index: 0 });
    expect(rowOf(d, "zones[1].name")).toMatchObject({ kind: "zone", path: "zones[1]", list: "zones" });
    expect(rowOf(d, "volumes.step")).toMatchObject({ kind: "volumes" });
    expect([rowOf(d, "zones[2].name"), rowOf(d, "zones[1].channels[9]"), rowOf(d, "themes[1]")]).toEqual([undefined, undefined, undefined]);
    expect(["zones[1].channels[2].name", "zones[1].channels", "tones[3].file"].map(rowPath)).toEqual(["zones[1].channels[2]", "zones[1]", "tones[3]"]);
  });

  it("move to their neighbour's place and go", () => {
    const d = document();
    d.tones.push({ name: "A", file: "a" }, { name: "B", file: "b" });
    const a = rowOf(d, "tones[1]");
    if (a === undefined) throw new Error("no row");
    expect([titleOf(a), move(d, a, 1), move(d, a, 2)]).toEqual(["A", "tones[2]", "tones[1]"]);
    expect(d.tones.map((t) => t.name)).toEqual(["B", "A"]);
    remove(d, a);
    expect(d.tones.map((t) => t.name)).toEqual(["A"]);
  });
});
