import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { Refusal } from "../link/link";
import { rate, saidAgain } from "../simulation/again";
import type { Scenario } from "../simulation/api";
import { began, Stage } from "../simulation/stage.testing";
import type { TimelineEntry, TimelineQuery } from "./api";
import { LocalTimeline, mostEntries } from "./local";

const [north, south] = ["154.755", "154.815"];
const shift: Scenario = {
  name: "A shift",
  about: "",
  units: [
    { id: 12, name: "Ana Ruiz", nacId: "LSPD", unitId: "2-L-12", on: north, pitch: 210 },
    { id: 14, name: "Bo Lind", nacId: "LSPD", unitId: "2-L-14", on: south },
    { id: 15, name: "Cy Orr", nacId: "LSPD", on: south },
    { id: -2, name: "Desk two" },
  ],
  steps: [
    { do: "talk", unit: 12, for: 2, at: 1, says: { en: "Traffic stop on Elm Street", de: "Verkehrskontrolle" } },
    { do: "panic", unit: 14, at: 5 },
    { do: "acknowledge", unit: -2, who: 14, at: 7 },
    { do: "talk", unit: 14, for: 1.5, at: 8, says: "Shots fired" },
    { do: "patch", unit: -2, channels: [north, south], label: "Pursuit", at: 10 },
    { do: "talk", unit: 12, for: 1, at: 11 },
    { do: "unpatch", unit: -2, label: "Pursuit", at: 13 },
    { do: "alert", unit: -2, alert: "SIGNAL 100", channel: north, at: 14 },
    { do: "clear", unit: -2, channel: north, at: 16 },
    { do: "move", unit: -2, who: 15, channel: north, at: 17 },
    { do: "broadcast", unit: -2, message: "Road closed", at: 18 },
    { do: "mute", unit: 15, at: 19 },
    { do: "talk", unit: 15, for: 1, at: 20 },
    { do: "close", unit: -2, who: 14, reason: "test", note: "drill", at: 22 },
  ],
};

async function played(seconds = 25): Promise<Stage> {
  const s = await Stage.open(shift);
  for (let i = 0; i < seconds * 2; i++) await s.pass(0.5);
  return s;
}
const short = (e: TimelineEntry): string => [Math.round((e.at - began) / 100) / 10, e.kind, e.name ?? e.detail, e.frequency ?? e.frequencies?.join("+") ?? ""].join(" ");
const find = async (s: { timeline: LocalTimeline }, q: TimelineQuery): Promise<string[]> => (await s.timeline.page(q)).entries.map(short);

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((f) => rmSync(f, { recursive: true, force: true })));

it("keeps everything that happens, once, the newest first", async () => {
  const s = await played();
  const all = await s.timeline.page({ limit: 500 });
  expect(all.next).toBeNull();
  expect(new Set(all.entries.map((e) => e.id)).size).toBe(all.entries.length);
  expect(all.entries.map((e) => e.seq)).toEqual(all.entries.map((_, i) => all.entries.length - i));
  expect(all.entries.map(short).reverse()).toMatchInlineSnapshot(`
    [
      "1 transmission Ana Ruiz 154.755",
      "5 panic Bo Lind 155.7525",
      "7 emergencyAcknowledged Bo Lind 155.7525",
      "10 patchOn Pursuit 154.755+154.815",
      "11 transmission Ana Ruiz 154.755",
      "13 patchOff Pursuit 154.755+154.815",
      "14 alert SIGNAL 100 154.755",
      "5 transmission Bo Lind 155.7525",
      "16 alertCleared SIGNAL 100 154.755",
      "15.1 transmission Bo Lind 154.815",
      "17 moved Cy Orr 154.755",
      "18 broadcast Road closed ",
      "20 transmission Cy Orr 154.755",
      "22 panicCleared Bo Lind 155.7525",
      "22 emergencyClosed Bo Lind 155.7525",
    ]
  `);
});

it("is searched as a service is", async () => {
  const s = await played();
  expect(await find(s, { text: "elm street" })).toEqual(["1 transmission Ana Ruiz 154.755"]);
  expect(await find(s, { text: "pursuit", kinds: ["patchOff"] })).toEqual([`13 patchOff Pursuit ${north}+${south}`]);
  expect(await find(s, { unit: "2-l-12", kinds: ["transmission"] })).toEqual(["11 transmission Ana Ruiz 154.755", "1 transmission Ana Ruiz 154.755"]);
  expect(await find(s, { unit: "15" })).toEqual(["20 transmission Cy Orr 154.755", "17 moved Cy Orr 154.755"]);
  // A patch is of all its channels.
  expect(await find(s, { frequency: south, kinds: ["patchOn", "transmission"] })).toEqual(["15.1 transmission Bo Lind 154.815", `10 patchOn Pursuit ${north}+${south}`]);
  // What began before, and went on in that time.
  expect(await find(s, { from: began + 2_500, to: began + 3_500 })).toEqual(["1 transmission Ana Ruiz 154.755"]);
  expect(await find(s, { text: "drill" })).toEqual(["22 emergencyClosed Bo Lind 155.7525"]);
  expect(await find(s, { text: "nobody" })).toEqual([]);
});

it("gives its pages one after the other", async () => {
  const s = await played();
  const all = await s.timeline.recent(0);
  const got: TimelineEntry[] = [];
  for (let before: number | null | undefined = undefined; before !== null; ) {
    const page = await s.timeline.page({ limit: 4, ...(before === undefined ? {} : { before }) });
    got.push(...page.entries);
    before = page.next;
  }
  expect(got).toEqual(all);
  expect((await s.timeline.recent(began + 16_500)).every((e) => (e.endedAt ?? e.at) >= began + 16_500)).toBe(true);
});

it("has what was said, but not of a microphone that failed, nor the trainee's", async () => {
  const s = await Stage.open(shift);
  for (let i = 0; i < 50; i++) await s.pass(0.5);
  await s.send("setSpeakerChannel", south);
  await s.send("setTalking", { state: true, frequency: south });
  await s.pass(1);
  await s.send("setTalking", { state: false, frequency: south });
  const talks = (await s.timeline.recent(0)).filter((e) => e.kind === "transmission");
  expect(talks.map((e) => [e.name, e.recording !== undefined])).toEqual([["TRAINEE", false], ["Cy Orr", false], ["Bo Lind", true], ["Bo Lind", true], ["Ana Ruiz", true], ["Ana Ruiz", true]]);
  const first = talks.at(-1)!;
  expect([first.transcript, first.durationMs, first.patchId, first.unitId]).toEqual(["Traffic stop on Elm Street", 2_000, undefined, "2-L-12"]);
  expect(talks.at(-2)!.patchId).toMatch(/^p/);

  const file = new DataView(await s.timeline.audio(first.id));
  expect([file.byteLength, file.getUint32(24, true)]).toEqual([first.recording!.bytes, rate]);
  const voice = saidAgain(12, 210, first.at, 2_000);
  const at = voice.findIndex((x) => Math.abs(x) > 0.1);
  expect(file.getInt16(44 + 2 * at, true)).toBe(Math.round(voice[at]! * 32_767));
  await expect(s.timeline.audio(talks[0]!.id)).rejects.toMatchObject({ status: 404 });
  // Another talk of the same unit is not the same sound.
  expect(new Uint8Array(await s.timeline.audio(talks.at(-2)!.id)).slice(8_000, 8_100)).not.toEqual(new Uint8Array(file.buffer).slice(8_000, 8_100));
  await vi.waitFor(async () => expect((await s.timeline.recent(0)).find((e) => e.id === first.id)!.recording!.peaks).toHaveLength(96), 5_000);
});

it("a listening file has the bursts in their places, with pauses as they were or short", async () => {
  const s = await played();
  const samples = (b: ArrayBuffer): number => (b.byteLength - 44) / 2;
  const keep = await (await s.timeline.mix(north, began, began + 15_000, "keep")).arrayBuffer();
  const briefly = await (await s.timeline.mix(north, began, began + 15_000, "short")).arrayBuffer();
  expect(samples(keep)).toBe(12 * rate); // from the beginning to the end of the talk at 11 s
  expect(samples(briefly)).toBe(4 * rate); // 2 s, a pause of one, and 1 s
  const [second] = (await s.timeline.page({ frequency: north, kinds: ["transmission"], to: began + 12_000 })).entries;
  const alone = new Int16Array(await s.timeline.audio(second!.id), 44);
  expect(new Int16Array(keep, 44).subarray(11 * rate)).toEqual(alone);
  expect(new Int16Array(briefly, 44).subarray(3 * rate)).toEqual(alone);
  await expect(s.timeline.mix("460.25", began, began + 15_000, "keep")).rejects.toBeInstanceOf(Refusal);
});

it("exports what lies in the mark, and nothing else", async () => {
  const s = await played();
  const folder = mkdtempSync(join(tmpdir(), "squelch-local-"));
  folders.push(folder);
  const zip = await s.timeline.exporting({ from: began + 9_000, to: began + 14_500, frequencies: [north] });
  writeFileSync(join(folder, "x.zip"), new Uint8Array(await zip.arrayBuffer()));
  const out = execFileSync("python3", ["-c", "import sys,zipfile\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nz.extractall(sys.argv[2])\nprint('\\n'.join(z.namelist()))", join(folder, "x.zip"), folder], { encoding: "utf8" });
  const listed = JSON.parse(readFileSync(join(folder, "timeline.json"), "utf8")) as (TimelineEntry & { file?: string })[];
  expect(listed.map(short)).toEqual([`10 patchOn Pursuit ${north}+${south}`, `11 transmission Ana Ruiz ${north}`, `13 patchOff Pursuit ${north}+${south}`, `14 alert SIGNAL 100 ${north}`]);
  const voice = listed[1]!.file!;
  expect(out.trim().split("\n")).toEqual(["timeline.json", "timeline.csv", voice]);
  expect(new Uint8Array(readFileSync(join(folder, voice)))).toEqual(new Uint8Array(await s.timeline.audio(listed[1]!.id)));
  const csv = readFileSync(join(folder, "timeline.csv"), "utf8").split("\r\n");
  expect(csv).toHaveLength(6);
  expect(csv[2]).toContain(`,1.0,,transmission,12,Ana Ruiz,2-L-12,`);
  expect(csv[2]).toContain(`,${north},`);
});

it("begins anew, and the oldest make room", () => {
  const t = new LocalTimeline({ rate, heard: () => true, said: () => new Float32Array(1) });
  for (let i = 0; i < mostEntries + 5; i++) t.hear({ to: {}, name: "dispatchNotification", payload: { type: "broadcast", message: `m${i}`, timestamp: began + i } }, began);
  return t.recent(0).then(async (all) => {
    expect([all.length, all[0]!.detail, all.at(-1)!.detail, all[0]!.seq]).toEqual([mostEntries, `m${mostEntries + 4}`, "m5", mostEntries + 5]);
    t.clear();
    expect(await t.recent(0)).toEqual([]);
    t.hear({ to: {}, name: "dispatchNotification", payload: { type: "broadcast", message: "=2+2", timestamp: began } }, began);
    const [e] = await t.recent(0);
    expect(e!.seq).toBe(1);
    const { csvOf } = await import("./csv");
    expect(csvOf([e!]).split("\r\n")[1]).toContain("'=2+2");
    expect(csvOf([{ ...e!, detail: "a;=1; @x" }])).toContain("a;'=1;' @x");
  });
});

it("what is no news, or told to several people, is no entry of its own", async () => {
  const t = new LocalTimeline({ rate, heard: () => true, said: () => new Float32Array(1) });
  const panic = { type: "panic", serverId: 12, name: "Ana Ruiz", frequency: north, timestamp: began };
  t.hear({ to: { dispatchers: true }, name: "dispatchNotification", payload: panic }, began);
  t.hear({ to: { users: [12] }, name: "dispatchNotification", payload: { ...panic, by: 12 } }, began);
  t.hear({ to: { users: [-3] }, name: "dispatchNotification", payload: { ...panic, timestamp: began + 5, current: true } }, began + 5);
  t.hear({ to: { dispatchers: true }, name: "dispatchNotification", payload: { type: "alert", repeated: true, frequency: north, timestamp: began } }, began);
  expect((await t.recent(0)).map(short)).toEqual([`0 panic Ana Ruiz ${north}`]);
});
