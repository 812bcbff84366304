import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Emitter } from "../link/emitter";
import type { Sent, VoiceSocket } from "../link/socket";
import type { Ack } from "../wire.gen";
import { PttController } from "./controller";
import { answerTime } from "./machine";

/** A session's socket, and everything that the push-to-talk did, in order. */
class Radio {
  readonly did: string[] = [];
  readonly #told = new Emitter();
  #listeners = 0;
  readonly #unanswered: ((answer: Ack) => void)[] = [];
  connected = true;
  micReady = true;
  sound: "running" | "suspended" = "running";
  /** When the last frame of what was said has left; null: it has, always. */
  lastFrame: Promise<void> | null = null;
  #voiceChanged: () => void = () => undefined;
  #soundChanged: () => void = () => undefined;
  readonly ptt: PttController;

  constructor(releaseDelay = 350) {
    const radio = this;
    const socket: VoiceSocket = {
      get connected() {
        return radio.connected;
      },
      hear: (handlers) => {
        const end = this.#told.hear(handlers);
        this.#listeners++;
        return () => (end(), this.#listeners--);
      },
      emit: (e, payload, answered) => {
        const p = payload as Exclude<Sent<"setTalking">, boolean>;
        this.did.push(`${e} ${p.state ? "on" : "off"} ${p.frequency}${p.override ? " override" : ""}`);
        this.#unanswered.push(answered!);
      },
    };
    this.ptt = new PttController({
      socket,
      voice: {
        transmit: (f) => {
          this.did.push(`mic ${f.join("+") || "shut"}`);
          return f.length === 0 ? this.lastFrame : null;
        },
        get state() {
          return { micReady: radio.micReady } as never;
        },
        onchange: (f) => ((this.#voiceChanged = f), () => (this.#voiceChanged = () => undefined)),
      },
      audio: {
        permit: (f) => this.did.push(`permit ${f}`),
        busy: () => this.did.push("busy"),
        get state() {
          return radio.sound;
        },
        onchange: (f) => ((this.#soundChanged = f), () => (this.#soundChanged = () => undefined)),
      },
      me: () => -7,
      channels: (t) => (t.kind === "channel" ? [t.frequency] : t.kind === "global" ? ["154.755", "154.28"] : []),
      options: () => ({ releaseDelay, latch: false, override: true }),
    });
  }
  says(event: string, payload?: unknown): void {
    if (event === "disconnect") this.connected = false;
    this.#told.tell(event, payload);
  }
  comesBack(): void {
    this.connected = true;
    this.says("connect");
  }
  microphone(ready: boolean): void {
    this.micReady = ready;
    this.#voiceChanged();
  }
  plays(state: "running" | "suspended"): void {
    this.sound = state;
    this.#soundChanged();
  }
  /** The service answers the oldest unanswered message. */
  answers(answer: Ack = { success: true }): void {
    this.#unanswered.shift()!(answer);
  }
  listeners(): number {
    return this.#listeners;
  }
}

const patrol = { kind: "channel", frequency: "154.755" } as const;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("carries a call from press to the end of its tail", () => {
  const r = new Radio();
  r.ptt.press("key", patrol);
  r.says("talkingState", { serverId: -8, frequency: "154.755", state: true });
  expect(r.ptt.ptt.state).toBe("REQUESTED");
  r.says("talkingState", { serverId: -7, frequency: "154.755", state: true });
  r.ptt.release("key");
  vi.advanceTimersByTime(349);
  expect(r.ptt.ptt.state).toBe("TAIL");
  vi.advanceTimersByTime(2);
  expect(r.ptt.ptt.state).toBe("IDLE");
  expect(r.did).toEqual(["setTalking on 154.755", "mic 154.755", "permit 154.755", "mic shut", "setTalking off 154.755"]);
  r.says("talkingState", { serverId: -7, frequency: "154.755", state: false }); // the service's echo
  expect(r.ptt.ptt.state).toBe("IDLE");
});

it("shows who holds a busy channel, and a refusal's own words", () => {
  const r = new Radio();
  r.ptt.press("key", { kind: "global" });
  r.says("ptt:denied", { frequency: "154.755", reason: "busy", currentTalker: 12 });
  r.says("refused", { action: "setTalking", frequency: "154.28", error: "You may only listen here" });
  expect(r.ptt.ptt).toMatchObject({
    state: "DENIED",
    denials: [
      { frequency: "154.755", reason: "busy", holder: 12 },
      { frequency: "154.28", reason: "You may only listen here", holder: null },
    ],
  });
  expect(r.did.at(-1)).toBe("busy");
});

it("does not take the refusal of something else for its own", () => {
  const r = new Radio();
  r.ptt.press("key", patrol);
  r.says("refused", { action: "addListeningChannel", frequency: "154.755", error: "no" });
  expect(r.ptt.ptt.state).toBe("REQUESTED");
  r.says("refused", { action: "setTalking", frequency: null, error: "no channel" });
  expect(r.ptt.ptt.state).toBe("DENIED");
});

it("lets go when the socket or the microphone is lost, and sends nothing into a dead socket", () => {
  const r = new Radio();
  r.ptt.press("key", patrol);
  r.says("talkingState", { serverId: -7, frequency: "154.755", state: true });
  r.says("disconnect");
  expect(r.ptt.ptt).toMatchObject({ state: "IDLE", forced: "socket" });
  expect(r.did.slice(-1)).toEqual(["mic shut"]);
  r.ptt.press("key", patrol);
  expect(r.ptt.ptt.state).toBe("IDLE");
  r.connected = true;
  r.ptt.press("key", patrol);
  r.microphone(false);
  expect(r.ptt.ptt).toMatchObject({ state: "IDLE", forced: "device" });
  expect(r.did.slice(-2)).toEqual(["mic shut", "setTalking off 154.755"]);
  r.ptt.press("key", patrol);
  expect(r.ptt.ptt.state).toBe("IDLE");
});

it("keys nothing while sound is off, because nothing would be sent", () => {
  const r = new Radio();
  r.plays("suspended");
  r.ptt.press("key", patrol);
  expect([r.ptt.ptt.state, r.did]).toEqual(["IDLE", []]);
  r.plays("running");
  r.ptt.press("key", patrol);
  r.says("talkingState", { serverId: -7, frequency: "154.755", state: true });
  expect(r.ptt.ptt.state).toBe("TX");
  r.plays("suspended");
  expect(r.ptt.ptt).toMatchObject({ state: "IDLE", forced: "sound" });
  expect(r.did.slice(-2)).toEqual(["mic shut", "setTalking off 154.755"]);
});

const own = (state: boolean) => ({ serverId: -7, frequency: "154.755", state });
const busy = { frequency: "154.755", reason: "busy", currentTalker: 12 };

it("breaks in with a double tap that is faster than the service denies the first", () => {
  const r = new Radio();
  r.ptt.press("key", patrol);
  r.ptt.release("key");
  r.ptt.press("key", patrol);
  expect(r.did).toContain("setTalking on 154.755 override");
  r.says("ptt:denied", busy);
  r.answers({ success: false, error: "The channel is busy", currentTalker: 12 });
  expect(r.ptt.ptt.state).toBe("REQUESTED");
  r.says("talkingState", own(true));
  r.answers();
  expect(r.ptt.ptt.state).toBe("TX");
});

it("keeps the floor of the second press when the first was granted late", () => {
  const r = new Radio(0);
  r.ptt.press("key", patrol);
  r.ptt.release("key");
  r.ptt.press("key", patrol); // on, off, on: nothing answered yet
  r.says("talkingState", own(true));
  r.answers();
  r.says("talkingState", own(false)); // the echo of the release
  r.answers();
  expect(r.ptt.ptt.state).toBe("REQUESTED");
  r.says("talkingState", own(true));
  r.answers();
  expect(r.ptt.ptt.state).toBe("TX");
  r.says("talkingState", own(false)); // somebody broke in
  expect(r.ptt.ptt).toMatchObject({ state: "DENIED", forced: "taken" });
});

it("talks where it held the floor already, which no event tells", () => {
  const r = new Radio();
  r.ptt.press("key", patrol);
  r.answers();
  expect(r.ptt.ptt.state).toBe("TX");
});

it("hears no answer to what went over a link that was lost", () => {
  const r = new Radio(0);
  r.ptt.press("key", patrol);
  r.ptt.release("key");
  r.says("disconnect");
  r.connected = true;
  r.ptt.press("key", patrol);
  r.answers(); // of the old link
  expect(r.ptt.ptt.state).toBe("REQUESTED");
  r.says("ptt:denied", busy);
  expect(r.ptt.ptt.state).toBe("DENIED");
});

it("gives the floor back when a link comes back that was lost while talking", () => {
  const r = new Radio();
  r.ptt.press("key", patrol);
  r.says("talkingState", own(true));
  r.answers();
  r.says("disconnect");
  r.comesBack();
  expect(r.did.slice(-2)).toEqual(["mic shut", "setTalking off 154.755"]);
  r.answers();
  r.says("disconnect");
  r.comesBack();
  expect(r.did.filter((d) => d === "setTalking off 154.755")).toHaveLength(1); // no release is owed any more
});

it("lets go again when the release went into a link that was dead already", () => {
  const r = new Radio(0);
  r.ptt.press("key", patrol);
  r.says("talkingState", own(true));
  r.answers();
  r.ptt.release("key");
  r.says("disconnect");
  r.comesBack();
  expect(r.did.filter((d) => d === "setTalking off 154.755")).toHaveLength(2);
});

/** A radio whose last frames leave when the test says so. */
function slow() {
  const r = new Radio(0);
  const frames: (() => void)[] = [];
  const leaves = async () => {
    frames.shift()!();
    await Promise.resolve();
  };
  const awaited = () => void (r.lastFrame = new Promise((done) => void frames.push(done)));
  awaited();
  r.ptt.press("key", patrol);
  r.says("talkingState", own(true));
  r.answers();
  r.did.length = 0;
  return { r, leaves, next: awaited };
}

it("gives the floor back once the last frame of what was said has left", async () => {
  const { r, leaves } = slow();
  r.ptt.release("key");
  expect([r.ptt.ptt.state, r.did]).toEqual(["IDLE", ["mic shut"]]);
  await leaves();
  expect(r.did).toEqual(["mic shut", "setTalking off 154.755"]);
});

it("tells of a release before the next key-up, although its last frame has not left", async () => {
  const { r, leaves, next } = slow();
  r.ptt.release("key");
  next();
  r.ptt.press("key", patrol);
  expect(r.did).toEqual(["mic shut", "setTalking off 154.755", "setTalking on 154.755 override", "mic 154.755"]);
  await leaves(); // of the first burst
  expect(r.did).toHaveLength(4);
  r.ptt.release("key");
  expect(r.did.slice(4)).toEqual(["mic shut"]);
  await leaves();
  expect(r.did.slice(4)).toEqual(["mic shut", "setTalking off 154.755"]);
});

it("waits for no frame when a release is forced, or the radio is closed", async () => {
  const one = slow();
  one.r.ptt.force("pagehide");
  expect(one.r.did).toEqual(["mic shut", "setTalking off 154.755"]);
  await one.leaves();
  const other = slow();
  other.r.ptt.release("key");
  other.r.ptt.close();
  await other.leaves();
  for (const { r } of [one, other]) expect(r.did).toEqual(["mic shut", "setTalking off 154.755"]);
});

it("gives the floor back over the next link when the link is lost before the last frame has left", async () => {
  const { r, leaves } = slow();
  r.ptt.release("key");
  r.says("disconnect");
  await leaves();
  expect(r.did).toEqual(["mic shut"]);
  r.comesBack();
  expect(r.did).toEqual(["mic shut", "setTalking off 154.755"]);
});

it("gives up on a service that does not answer", () => {
  const r = new Radio();
  let told = 0;
  r.ptt.onchange(() => told++);
  r.ptt.press("key", patrol);
  vi.advanceTimersByTime(answerTime + 1);
  expect(r.ptt.ptt).toMatchObject({ state: "DENIED", denials: [{ reason: "no answer" }] });
  expect(told).toBe(2);
});

it("leaves nothing behind when it is closed", () => {
  const r = new Radio();
  r.ptt.press("key", patrol);
  r.ptt.close();
  expect(r.did.slice(-2)).toEqual(["mic shut", "setTalking off 154.755"]);
  expect(r.listeners()).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});
