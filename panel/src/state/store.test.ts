import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Store } from "./store.svelte";

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("document", { visibilityState: "hidden" });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const rename = (store: Store, callsign: string): void => store.change((s) => ({ ...s, desk: { ...s.desk, callsign } }));

it("tells its watchers of every change, with the state before it", () => {
  const store = new Store();
  const told: string[] = [];
  store.watch((now, before) => told.push(`${before.desk.callsign} → ${now.desk.callsign}`));
  rename(store, "D-1");
  rename(store, "D-2");
  store.change((s) => s);
  expect(told).toEqual([" → D-1", "D-1 → D-2"]);
});

it("tells a watcher that has ended nothing, and the others all", () => {
  const store = new Store();
  const told: string[] = [];
  const first = (): void => void told.push("first");
  const end = store.watch(first);
  store.watch(first); // the same one, twice
  store.watch(() => told.push("second"));
  end();
  end(); // ending twice is ending once
  rename(store, "D-1");
  expect(told).toEqual(["first", "second"]);
});

it("a watcher may end itself while it is told", () => {
  const store = new Store();
  const told: string[] = [];
  const end = store.watch(() => {
    told.push("once");
    end();
  });
  store.watch(() => told.push("always"));
  rename(store, "D-1");
  rename(store, "D-2");
  expect(told).toEqual(["once", "always", "always"]);
});

it("shows all changes of one frame together", () => {
  const store = new Store();
  rename(store, "D-1");
  expect(store.now.desk.callsign).toBe("D-1");
  expect(store.shown.desk.callsign).toBe("");
  vi.advanceTimersByTime(1_000);
  expect(store.shown.desk.callsign).toBe("D-1");
});
