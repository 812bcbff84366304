import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Control, type Channel } from "./control";

/** The service's end of a data channel. */
class Wire {
  readonly sent: unknown[] = [];
  readonly channel = {
    readyState: "connecting",
    bufferedAmount: 0,
    onopen: null,
    onclose: null,
    onmessage: null,
    send: (text: string) => void this.sent.push(JSON.parse(text)),
  } as unknown as Channel & { readyState: RTCDataChannelState; bufferedAmount: number };

  opens(): void {
    this.channel.readyState = "open";
    this.channel.onopen?.call(null as never, null as never);
  }
  says(...message: unknown[]): void {
    this.raw(JSON.stringify(message));
  }
  raw(data: unknown): void {
    this.channel.onmessage?.call(null as never, { data } as MessageEvent);
  }
  closes(): void {
    this.channel.readyState = "closed";
    this.channel.onclose?.call(null as never, null as never);
  }
}

let wire: Wire;
let control: Control;
let told: unknown[];

beforeEach(() => {
  vi.useFakeTimers();
  wire = new Wire();
  control = new Control();
  told = [];
  control.hear({ connect: () => told.push("connect"), disconnect: () => told.push("disconnect") });
  control.onlost = (why) => told.push(["lost", why]);
  control.onany = (name, payload) => told.push([name, payload]);
  control.use(wire.channel);
});
afterEach(() => void vi.useRealTimers());

it("is connected from the moment the channel is open", () => {
  expect(control.connected).toBe(false);
  control.emit("setSpeakerChannel", "154.755"); // lost
  wire.opens();
  expect(control.connected).toBe(true);
  expect(told).toEqual(["connect"]);
  expect(wire.sent).toEqual([["heartbeat", expect.any(Number)]]);
});

it("brings each answer to the one who asked", () => {
  wire.opens();
  const got: unknown[] = [];
  control.emit("setTalking", { state: true }, (a) => got.push(["first", a]));
  control.emit("setTalking", { state: false }, (a) => got.push(["second", a]));
  expect(wire.sent.slice(1)).toEqual([["setTalking", { state: true }, 1], ["setTalking", { state: false }, 2]]);
  wire.says("#ack", 2, { success: false });
  wire.says("#ack", 1, { success: true });
  wire.says("#ack", 1, { success: true }); // nobody waits any more
  expect(got).toEqual([["second", { success: false }], ["first", { success: true }]]);
});

it("hands on events, and survives what is none", () => {
  wire.opens();
  wire.says("talkingState", { serverId: 7, frequency: "154.755", state: true });
  wire.raw("{");
  wire.raw("{}");
  wire.raw("[]");
  wire.raw("[1,2]");
  wire.raw(new ArrayBuffer(4));
  expect(told).toEqual(["connect", ["talkingState", { serverId: 7, frequency: "154.755", state: true }]]);
});

it("measures heartbeats, and tells nobody else of them", () => {
  const pulses: number[] = [];
  control.onpulse = (ms) => pulses.push(ms);
  wire.opens();
  vi.advanceTimersByTime(40);
  wire.says("heartbeat_response", 1);
  expect(pulses).toEqual([40]);
  expect(told).toEqual(["connect"]);
});

it("gives up a service that says nothing any more", () => {
  wire.opens();
  vi.advanceTimersByTime(6_000);
  expect(control.connected).toBe(true);
  vi.advanceTimersByTime(2_000);
  expect(told).toEqual(["connect", "disconnect", ["lost", "silent"]]);
  expect(control.connected).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

it("stays with a service that talks but answers no heartbeat", () => {
  wire.opens();
  for (let i = 0; i < 5; i++) {
    vi.advanceTimersByTime(4_000);
    wire.says("self", {});
  }
  expect(control.connected).toBe(true);
});

it("tells of a channel that closes, or never opened", () => {
  wire.closes();
  expect(told).toEqual([["lost", "closed"]]);
});

it("says why the service ended it", () => {
  wire.opens();
  wire.says("#bye", "kicked");
  expect(told).toEqual(["connect", "disconnect", ["lost", "kicked"]]);
});

it("says goodbye, and is not lost then", async () => {
  wire.opens();
  wire.channel.bufferedAmount = 12;
  const over = control.bye();
  await vi.advanceTimersByTimeAsync(50);
  expect(control.connected).toBe(true); // it is still on its way
  wire.channel.bufferedAmount = 0;
  await vi.advanceTimersByTimeAsync(20);
  await over;
  expect(wire.sent.at(-1)).toEqual(["#bye"]);
  expect(told).toEqual(["connect", "disconnect"]);
});

it("does not hear an old channel through a new one", () => {
  wire.opens();
  const next = new Wire();
  const old = wire.channel.onmessage;
  control.use(next.channel);
  expect(wire.channel.onmessage).toBeNull();
  expect(old).not.toBeNull();
  expect(told).toEqual(["connect", "disconnect"]);
});
