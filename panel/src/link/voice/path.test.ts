import { expect, it } from "vitest";
import { type Counts, PathWatch } from "./path";

/** What the panel and the service count while voice goes both ways, or one way; 20 packets between two looks. */
class Path {
  readonly watch = new PathWatch();
  now = 0;
  asks = 0;
  says = 0;
  hears = 0;
  lost = 0;
  panel = { sent: 0, received: 0 };
  service = { sent: 0, received: 0 };

  get counts(): Counts {
    return { sent: this.panel.sent, slots: [{ mid: "1", received: this.panel.received, lost: this.lost, concealed: 0, events: 0 }] };
  }

  /** looks lets 400 ms pass so often and says after which look the path counted as dead; null: never. */
  looks(times: number, { up = true, down = true, hearing = this.hears > 0, talking = this.says > 0 } = {}): number | null {
    for (let n = 1; n <= times; n++) {
      this.now += 400;
      this.panel.sent += this.says;
      this.service.sent += this.hears;
      if (up) this.service.received += this.says;
      if (down) this.panel.received += this.hears;
      const asked = this.counts;
      if (!this.watch.ask(asked, hearing, talking, this.now)) continue;
      this.asks++;
      const answer = { received: this.service.received, slots: [{ mid: "1", sent: this.service.sent }] };
      if (this.watch.judge(asked, answer, this.counts)) return n;
    }
    return null;
  }
}

it("knows how much of its own voice did not arrive", () => {
  const p = new Path();
  p.says = 20;
  for (let n = 0; n < 10; n++) {
    p.panel.sent += 3; // lost now and then: that is not said again
    p.looks(1);
  }
  const before = p.panel.sent;
  p.panel.sent += 8; // these still arrive
  p.service.received += 8;
  expect(p.looks(10, { up: false })).not.toBeNull();
  expect(p.watch.unheard).toBe(p.panel.sent - before - 8);
});

it("asks again when an answer was lost with the connection that carried it", () => {
  const p = new Path();
  p.hears = 20;
  p.looks(5);
  p.lost = 3;
  expect(p.watch.ask(p.counts, true, false, p.now)).toBe(true); // the answer never comes
  p.lost = 6;
  expect(p.watch.ask(p.counts, true, false, p.now + 1000)).toBe(false);
  expect(p.watch.ask(p.counts, true, false, p.now + 5000)).toBe(true);
});

it("asks nothing while voice arrives, and nobody talks here", () => {
  const p = new Path();
  p.hears = 20;
  expect(p.looks(100)).toBeNull();
  expect(p.asks).toBe(0);
});

it("knows within three looks that what is sent to it does not arrive", () => {
  const p = new Path();
  p.hears = 20;
  p.looks(50);
  expect(p.looks(10, { down: false })).toBeLessThanOrEqual(3);
});

it("knows within two looks that what it says does not arrive", () => {
  const p = new Path();
  p.says = 20;
  expect(p.looks(50)).toBeNull();
  expect(p.looks(10, { up: false })).toBeLessThanOrEqual(2);
});

it("notices in the next talk that the path died while nobody spoke", () => {
  const p = new Path();
  p.hears = 20;
  p.looks(50);
  p.hears = 0;
  expect(p.looks(100)).toBeNull();
  p.hears = 20;
  expect(p.looks(10, { down: false })).toBeLessThanOrEqual(3);
});

it("stays with a talker who holds the floor and sends nothing, and asks seldom", () => {
  const p = new Path();
  p.hears = 20;
  p.looks(50);
  p.hears = 0;
  expect(p.looks(100, { hearing: true })).toBeNull(); // 40 s
  expect(p.asks).toBeGreaterThan(5);
  expect(p.asks).toBeLessThan(45);
});

it("asks nothing while the own microphone sends nothing", () => {
  const p = new Path();
  expect(p.looks(100, { talking: true })).toBeNull();
  expect(p.asks).toBe(0);
});

it("stays although half of the packets are lost both ways", () => {
  const p = new Path();
  p.says = p.hears = 20;
  for (let n = 0; n < 50; n++) {
    p.panel.received += 10;
    p.service.received += 10;
    expect(p.looks(1, { up: false, down: false })).toBeNull();
  }
});

it("reports loss at most once a second, and once more when it ends", () => {
  const p = new Path();
  p.hears = 20;
  p.looks(10);
  for (let n = 0; n < 30; n++) {
    p.lost++;
    p.looks(1);
  }
  const lossy = p.asks;
  expect(lossy).toBeGreaterThanOrEqual(8);
  expect(lossy).toBeLessThanOrEqual(12);
  p.hears = 0;
  p.looks(30);
  expect(p.asks - lossy).toBeLessThanOrEqual(1);
});

it("asks one question at a time, and takes no answer that says nothing", () => {
  const w = new PathWatch();
  const lossy = { sent: 0, slots: [{ mid: "1", received: 100, lost: 3, concealed: 0, events: 0 }] };
  const worse = { sent: 500, slots: [{ mid: "1", received: 100, lost: 9, concealed: 0, events: 0 }] };
  expect(w.ask(lossy, true, false, 1000)).toBe(true);
  expect(w.ask(worse, true, true, 5900)).toBe(false);
  expect(w.judge(worse, { error: "There is no media connection" }, worse)).toBe(false);
  expect(w.ask(worse, true, true, 9400)).toBe(true);
});
