// One WebRTC connection: an uplink and four slots, negotiated once. Key-ups and
// talkers change nothing about it.

import type { Engine } from "../../audio/engine";
import type { TrackSource } from "../../audio/source";
import type { SlotReport } from "../../wire.gen";
import { uplinkOf, warm, type Uplink } from "./uplink";

/** Downlinks: the service has no more. */
const slots = 4;
/** A connection that is not up after this long will not come, in ms: over loopback it takes 0.2 s, around the world under 2. */
const connectTime = 8000;

export interface MediaEvents {
  connected(): void;
  /** The browser has had no answer to its checks for some seconds; it may still come. */
  doubtful(): void;
  /** The connection ended, or was never established. Called once. */
  ended(why: "blocked" | "lost" | "refused", detail: string): void;
}

/**
 * What is buffered before a burst is played, in ms: the less, the sooner it is heard, and
 * the browser adds to it by itself when packets come late. While packets are lost it is as
 * much as the service repeats, three frames.
 */
const buffered = { calm: 30, lossy: 60 };
/** The loss from which more is buffered, and how long after it, in ms. */
const lossFloor = 0.01;
const lossMemory = 30_000;

/** What the connection's statistics say; null if unknown. */
export interface MediaStats {
  roundTrip: number | null;
  received: number;
  lost: number;
  /** Samples given to the graph, and how many of them were made up for late or lost packets. */
  played: number;
  concealed: number;
  /** Packets of the own voice. */
  sent: number;
  /** The same of each slot that has had packets; concealed and events without silence. */
  slots: SlotReport[];
}

/** count reads a counter. The browser's loss runs below 0 when packets come twice. */
const count = (x: unknown): number => Math.max(0, Math.round(Number(x ?? 0)));

/** delay sets what is buffered, in ms. Chromium before 115 has it under another name, in seconds. */
function delay(receiver: RTCRtpReceiver, ms: number): void {
  receiver.jitterBufferTarget = ms; // elsewhere an unknown property, and harmless
  (receiver as { playoutDelayHint?: number }).playoutDelayHint = ms / 1000;
}

export class Media {
  readonly #pc = new RTCPeerConnection();
  readonly #sources = new Map<string, TrackSource>();
  readonly #uplink: Uplink;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending = false;
  #up = false;
  #lossy = false;
  #lossAt = -Infinity;
  #over = false;

  /** prepare sees the connection before its offer is made, to add what else it shall carry. */
  constructor(
    readonly engine: Engine,
    readonly events: MediaEvents,
    prepare: (connection: RTCPeerConnection) => void = () => undefined,
  ) {
    // The uplink exists without a microphone too, so that nothing has to be
    // negotiated when one is plugged in. It sends nothing until it is keyed.
    const { sender } = this.#pc.addTransceiver(engine.microphone.track, {
      direction: "sendonly",
      sendEncodings: [{ active: warm() }],
    });
    this.#uplink = uplinkOf(sender, () => this.fail("no worker"));
    for (let i = 0; i < slots; i++) this.#pc.addTransceiver("audio", { direction: "recvonly" });
    prepare(this.#pc);
    this.#pc.onconnectionstatechange = () => this.#state();
  }

  get connected(): boolean {
    return this.#up && !this.#over;
  }

  /** connect makes the offer; signal takes it to the service and returns the answer. */
  async connect(signal: (sdp: string) => Promise<string>): Promise<void> {
    this.#timer = setTimeout(() => this.#end(this.#up ? "lost" : "blocked", ""), connectTime);
    try {
      await this.#pc.setLocalDescription();
      // Candidates of this side are not needed: the service learns them from the
      // checks sent to those in its answer (ICE-lite, RFC 8445 2.5).
      const sdp = await signal(this.#pc.localDescription!.sdp);
      if (this.#over) return;
      await this.#pc.setRemoteDescription({ type: "answer", sdp });
    } catch (error) {
      this.#end("refused", error instanceof Error ? error.message : String(error));
      return;
    }
    if (this.#over) return;
    for (const t of this.#pc.getTransceivers()) {
      if (t.mid !== null && t.currentDirection === "recvonly") {
        delay(t.receiver, buffered.calm);
        this.#sources.set(t.mid, this.engine.addTrack(t.receiver.track));
      }
    }
  }

  source(mid: string): TrackSource | undefined {
    return this.#sources.get(mid);
  }

  /** mark changes with every packet that a slot plays; null: none yet. */
  mark(mid: string): number | null {
    const t = this.#pc.getTransceivers().find((x) => x.mid === mid);
    return t?.receiver.getSynchronizationSources()[0]?.rtpTimestamp ?? null;
  }

  /** send turns the uplink's packets on or off; off resolves when the last of what was said has left. */
  send(on: boolean): Promise<void> | null {
    if (this.#sending === on || this.#over) return null;
    this.#sending = on;
    if (!on) return this.#uplink.close();
    this.#uplink.open();
    return null;
  }

  /** last are the last n frames of the own voice in this talk, oldest first, as far as they are known. */
  last(n: number): Promise<Uint8Array[]> {
    return this.#over ? Promise.resolve([]) : this.#uplink.last(n);
  }

  /** heed buffers more while packets are lost; loss is a fraction. */
  heed(loss: number, now: number): void {
    if (loss >= lossFloor) this.#lossAt = now;
    const lossy = now - this.#lossAt < lossMemory;
    if (lossy === this.#lossy) return;
    this.#lossy = lossy;
    for (const t of this.#pc.getTransceivers()) delay(t.receiver, lossy ? buffered.lossy : buffered.calm);
  }

  async stats(): Promise<MediaStats> {
    const out: MediaStats = { roundTrip: null, received: 0, lost: 0, played: 0, concealed: 0, sent: 0, slots: [] };
    if (this.#over) return out;
    const mids = new Map(this.#pc.getTransceivers().map((t) => [t.receiver.track.id, t.mid]));
    for (const s of (await this.#pc.getStats()).values() as Iterable<Record<string, unknown>>) {
      if (s["type"] === "candidate-pair" && s["nominated"] === true && typeof s["currentRoundTripTime"] === "number") {
        out.roundTrip = s["currentRoundTripTime"] * 1000;
      }
      if (s["type"] === "outbound-rtp") out.sent += count(s["packetsSent"]);
      if (s["type"] === "inbound-rtp") {
        out.played += Number(s["totalSamplesReceived"] ?? 0);
        // What is concealed while nobody talks is silence, not loss.
        const concealed = count(count(s["concealedSamples"]) - count(s["silentConcealedSamples"]));
        const [received, lost] = [count(s["packetsReceived"]), count(s["packetsLost"])];
        out.concealed += concealed;
        out.received += received;
        out.lost += lost;
        const mid = mids.get(String(s["trackIdentifier"]));
        if (typeof mid === "string") out.slots.push({ mid, received, lost, concealed, events: count(s["concealmentEvents"]) });
      }
    }
    return out;
  }

  #state(): void {
    switch (this.#pc.connectionState) {
      case "connected":
        clearTimeout(this.#timer);
        if (this.#up) return;
        this.#up = true;
        this.events.connected();
        break;
      case "disconnected":
        this.events.doubtful();
        break;
      case "failed":
        this.#end(this.#up ? "lost" : "blocked", "");
    }
  }

  /** fail ends a connection that no longer serves, such as one that the service has closed. */
  fail(detail: string): void {
    this.#end(this.#up ? "lost" : "refused", detail);
  }

  #end(why: "blocked" | "lost" | "refused", detail: string): void {
    if (this.#over) return;
    this.close();
    this.events.ended(why, detail);
  }

  close(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#pc.onconnectionstatechange = null;
    for (const s of this.#sources.values()) this.engine.remove(s);
    this.#sources.clear();
    this.#pc.close();
    this.#uplink.end();
  }
}
