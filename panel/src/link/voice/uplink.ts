// What lets the own voice out of the connection: a gate behind the encoder, or, where the
// browser has none, a switch at the encoder. Nothing is sent while it is closed.

import type { Asked, Passed } from "./passage";

export interface Uplink {
  open(): void;
  /** close resolves when the frame with the last of what was said has left, or after longest. */
  close(): Promise<void>;
  /** last are the last n frames of the current talk that have passed, oldest first, as far as they are known. */
  last(n: number): Promise<Uint8Array[]>;
  /** end gives back what it holds; its connection is closed. */
  end(): void;
}

/** How long the last frame of a burst may take, ms: one frame, and what passage.ts and gate.worker.ts add. */
const longest = 40;

/**
 * Whether there can be a gate (WebRTC Encoded Transform, section 4). The older
 * createEncodedStreams is no way: with it, what is received goes through the page's
 * scripts too, and waits when they are busy.
 */
let gates = typeof RTCRtpScriptTransform !== "undefined";

/** Whether the encoder runs all the time. */
export const warm = (): boolean => gates;

/** uplinkOf makes a sender's uplink, closed. broken: the gate cannot work, here or on any other connection. */
export function uplinkOf(sender: RTCRtpSender, broken: () => void): Uplink {
  try {
    if (gates) {
      return new Gate(sender, () => {
        gates = false;
        broken();
      });
    }
  } catch {
    gates = false; // a policy forbids the worker
  }
  return new Switch(sender);
}

/** Last resolves the promise of a closing, in time in any case. */
class Last {
  #done: (() => void) | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  wait(): Promise<void> {
    this.over();
    return new Promise((done) => {
      this.#done = done;
      this.#timer = setTimeout(() => this.over(), longest);
    });
  }

  over(): void {
    clearTimeout(this.#timer);
    this.#done?.();
    this.#done = null;
  }
}

/**
 * Gate drops frames of an encoder that runs all the time: the first frame of a burst is
 * one that had begun before the key, and the last one is whole.
 */
class Gate implements Uplink {
  readonly #worker = new Worker(new URL("./gate.worker.ts", import.meta.url), { type: "module" });
  readonly #last = new Last();
  #closings = 0;
  #frames: ((frames: Uint8Array[]) => void) | null = null;

  constructor(sender: RTCRtpSender, broken: () => void) {
    this.#worker.onerror = broken;
    this.#worker.onmessage = ({ data }: MessageEvent<Passed>) => {
      if (typeof data !== "number") this.#frames?.(data);
      else if (data === this.#closings) this.#last.over();
    };
    sender.transform = new RTCRtpScriptTransform(this.#worker);
  }

  #ask(asked: Asked): void {
    this.#worker.postMessage(asked);
  }

  open(): void {
    this.#last.over(); // what has not left yet leaves with the rest
    this.#ask({ open: true });
  }

  close(): Promise<void> {
    this.#ask({ open: false, close: ++this.#closings });
    return this.#last.wait();
  }

  last(n: number): Promise<Uint8Array[]> {
    return new Promise((resolve) => {
      this.#frames = resolve;
      this.#ask({ last: n });
      setTimeout(() => resolve([]), longest);
    });
  }

  end(): void {
    this.#last.over();
    this.#frames?.([]);
    this.#worker.terminate();
  }
}

/** Switch starts the encoder for each burst, and stops it when its last frame is finished. */
class Switch implements Uplink {
  readonly #last = new Last();
  #on = false;
  #over = false;
  #applied: Promise<void> = Promise.resolve();

  constructor(private readonly sender: RTCRtpSender) {
    this.#apply();
  }

  open(): void {
    this.#on = true;
    this.#last.over();
    this.#apply();
  }

  close(): Promise<void> {
    this.#on = false;
    const last = this.#last.wait();
    void last.then(() => this.#apply());
    return last;
  }

  #apply(): void {
    this.#applied = this.#applied.then(async () => {
      if (this.#over) return;
      const p = this.sender.getParameters();
      const encoding = p.encodings[0];
      if (encoding === undefined || encoding.active === this.#on) return;
      encoding.active = this.#on;
      await this.sender.setParameters(p).catch(() => undefined); // the connection has ended meanwhile
    });
  }

  last(): Promise<Uint8Array[]> {
    return Promise.resolve([]); // nobody sees its frames
  }

  end(): void {
    this.#over = true;
    this.#last.over();
  }
}
