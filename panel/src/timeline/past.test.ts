import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Refusal } from "../link/link";
import type { Ports } from "../ports";
import { initial, type State } from "../state/state";
import type { ConfigChannel } from "../wire.gen";
import type { Timeline, TimelineEntry, TimelinePage, TimelineQuery } from "./api";
import { backfillTime, Past } from "./past.svelte";

const now = Date.UTC(2026, 10, 24, 15, 0, 0);
const minute = 60_000;

/** A service whose timeline has an entry a minute; it looks through so many at once and no more. */
class Service implements Partial<Timeline> {
  asked: TimelineQuery[] = [];
  down = false;
  constructor(public entries: TimelineEntry[], readonly through = 600) {}

  async page(q: TimelineQuery): Promise<TimelinePage> {
    this.asked.push(q);
    if (this.down) throw new Refusal(0, "unreachable");
    const all = [...this.entries].reverse().filter((e) => q.before === undefined || e.seq < q.before);
    const out: TimelineEntry[] = [];
    let last: TimelineEntry | undefined;
    for (const e of all.slice(0, this.through)) {
      if (q.from !== undefined && (e.endedAt ?? e.at) < q.from) return { entries: out, next: null, from: q.from };
      last = e;
      if (q.to !== undefined && e.at > q.to) continue;
      if (q.kinds && !q.kinds.includes(e.kind)) continue;
      if (q.frequency && e.frequency !== q.frequency) continue;
      const words = (q.text ?? "").split(" ").filter(Boolean);
      if (!words.every((w) => `${e.name} ${e.unitId} ${e.detail ?? ""}`.toLowerCase().includes(w))) continue;
      out.push(e);
      if (out.length === (q.limit ?? 100)) break;
    }
    const more = last !== undefined && all.indexOf(last) < all.length - 1;
    return { entries: out, next: more ? last!.seq : null, from: last?.at ?? 0 };
  }
}

const said = (seq: number, at: number, more: Partial<TimelineEntry> = {}): TimelineEntry => ({
  seq, id: `tx-${seq}-${at}`, kind: "transmission", at, endedAt: at + 2_000, durationMs: 2_000, serverId: 7, name: "Ana", unitId: "A-7", frequency: "154.755", encoding: "opus", ...more,
});
/** Of the last so many minutes, the oldest first. */
const minutesOf = (n: number, more: (i: number) => Partial<TimelineEntry> = () => ({})): TimelineEntry[] =>
  Array.from({ length: n }, (_, i) => said(i + 1, now - (n - i) * minute, more(i)));

const channels = [{ name: "MAIN", frequency: "154.755" }, { name: "FIRE", frequency: "154.28" }] as ConfigChannel[];

function desk(service: Service): { past: Past; state: () => State; lines: () => number } {
  const zones = [{ channels }] as unknown as State["radio"]["zones"];
  let s: State = { ...initial, radio: { ...initial.radio, zones, channels: Object.fromEntries(channels.map((c) => [c.frequency, c])), skew: 0 } };
  s = { ...s, desk: { ...s.desk, settings: { ...s.desk.settings, utc: true } } };
  const store = { get now() { return s; }, change: (f: (s: State) => State) => void (s = f(s)) };
  const ports = { store, link: { now: () => now, timeline: async () => service } } as unknown as Ports;
  const past = new Past(ports);
  return { past, state: () => s, lines: () => past.with(s.radio).log.length };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a console that opens has the last half hour, also of what a status does not have", async () => {
  const entries = minutesOf(300);
  entries.push({ seq: 301, id: "moved-7", kind: "moved", at: now - 1, serverId: 7, name: "Ana", frequency: "154.28" });
  const { past, state } = desk(new Service(entries));
  expect(past.opening).toBe(true);
  await past.catchUp();
  expect(past.opening).toBe(false);
  expect(state().radio.entries.map((e) => e.what)).toEqual(["moved"]);
  // Half an hour, and at least 50 lines.
  expect(state().radio.log).toHaveLength(49);
});

test("on a busy radio it is half an hour, however many pages that is", async () => {
  const entries = Array.from({ length: 1_500 }, (_, i) => said(i + 1, now - (1_500 - i) * 1_500));
  const { past, state } = desk(new Service(entries));
  await past.catchUp();
  expect(state().radio.log).toHaveLength(Math.floor(backfillTime / 1_500) + 1); // and the one that had not ended then
});

test("at the end of the log it goes on, page for page, without holes or doubles, to the first entry", async () => {
  const { past, lines } = desk(new Service(minutesOf(320)));
  await past.catchUp();
  for (let before = 0; !past.over; before = lines()) {
    await past.more();
    expect(lines()).toBeGreaterThan(before);
  }
  expect(lines()).toBe(320);
  expect(past.failed).toBe(false);
});

test("what was missed while the link was lost is fetched, and only that", async () => {
  const service = new Service(minutesOf(100));
  const { past, state } = desk(service);
  await past.catchUp();
  const known = state().radio.log.length;
  past.lost();
  service.entries.push(said(101, now - 10_000), said(102, now - 5_000));
  service.asked = [];
  await past.catchUp();
  expect(state().radio.log.length).toBe(known + 2);
  expect(service.asked).toHaveLength(1);
  expect(service.asked[0]!.from).toBe(now - 20_000);
});

test("a service that cannot be reached is asked again", async () => {
  const service = new Service(minutesOf(100));
  const { past, state } = desk(service);
  service.down = true;
  await past.catchUp();
  expect(past.failed).toBe(true);
  service.down = false;
  await vi.advanceTimersByTimeAsync(6_000);
  expect(past.failed).toBe(false);
  expect(state().radio.log.length).toBeGreaterThan(30);
  past.close();
});

test("a search asks the service when the typing stops, and finds by unit, channel and time what the log does not have", async () => {
  const service = new Service(minutesOf(2_000, (i) => (i === 100 ? { name: "Zoe", unitId: "Z-1", frequency: "154.28" } : {})));
  const { past, state } = desk(service);
  await past.catchUp();
  service.asked = [];
  const found = async (search: string): Promise<string[]> => {
    past.look("all", search);
    past.look("all", search); // typed on
    await vi.advanceTimersByTimeAsync(500);
    for (let n = 0; n < 20 && !past.over && past.found.size === 0; n++) await past.more();
    return past.with(state().radio).log.filter((t) => past.found.has(t.told ?? "")).map((t) => t.name);
  };
  expect(await found("zoe")).toEqual(["Zoe"]);
  expect(await found("z-1 fire")).toEqual(["Zoe"]);
  expect(await found("FIRE")).toEqual(["Zoe"]);
  const at = new Date(now - 1_900 * minute);
  expect(await found(`${at.getUTCHours()}:${String(at.getUTCMinutes()).padStart(2, "0")}`)).toContain("Ana");
  expect(await found("nobody")).toEqual([]);
  expect(past.over).toBe(true);
});

test("a search is bounded: it stops by itself, says how far it is, and goes on from there", async () => {
  const service = new Service(minutesOf(20_000), 600);
  const { past } = desk(service);
  await past.catchUp();
  service.asked = [];
  past.look("voice", "nobody");
  await vi.advanceTimersByTimeAsync(500);
  expect(past.busy).toBe(false);
  expect(past.over).toBe(false);
  const [asked, from] = [service.asked.length, past.from!];
  expect(asked).toBeLessThanOrEqual(12);
  expect(from).toBe(now - 600 * asked * minute);
  expect(service.asked.every((q) => q.kinds?.join() === "transmission")).toBe(true);
  await past.more();
  expect(past.from!).toBeLessThan(from);
});

test("what is found for an earlier search is thrown away, and a search can be stopped", async () => {
  const service = new Service(minutesOf(3_000, (i) => ({ name: i % 2 ? "Ana" : "Ben" })));
  const { past, state } = desk(service);
  await past.catchUp();
  past.look("all", "ben");
  vi.advanceTimersByTime(450);
  past.look("all", ""); // before the answer
  await vi.advanceTimersByTimeAsync(1_000);
  expect([past.found.size, past.busy, past.from]).toEqual([0, false, null]);
  expect(past.with(state().radio)).toBe(state().radio);
  past.look("all", "nobody");
  vi.advanceTimersByTime(450);
  expect(past.busy).toBe(true);
  past.stop();
  await vi.advanceTimersByTimeAsync(1_000);
  expect([past.busy, past.over]).toEqual([false, false]);
});

test("what was transcribed is shown with its line, also if the console has heard it itself", async () => {
  const service = new Service(minutesOf(5));
  const { past, state } = desk(service);
  await past.catchUp();
  const [newest] = state().radio.log;
  await past.heard({ id: newest!.told!, text: "Engine five" });
  expect(state().radio.log[0]).toMatchObject({ transcript: "Engine five" });
  service.entries.push(said(6, now - 1_000, { transcript: "Ladder two" }));
  await past.heard({ id: service.entries.at(-1)!.id, text: "Ladder two" });
  expect(state().radio.log[0]).toMatchObject({ transcript: "Ladder two" });
});

test("a service without a timeline has nothing further back", async () => {
  const service = new Service([]);
  service.page = () => Promise.reject(new Refusal(404, "not found"));
  const { past } = desk(service);
  await past.catchUp();
  expect([past.opening, past.failed, past.over, past.whole]).toEqual([false, false, true, true]);
});
