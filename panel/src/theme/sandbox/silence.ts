// Push-to-talk without sound: there is a microphone, and nothing is played.

import type { SelfTest, Voice } from "../../link/voice/api";
import type { SoundModule } from "../../panel";
import type { Ports } from "../../ports";
import { PttController, type PttWorld } from "../../ptt/controller";
import { keyedBy } from "../../state/pttbar";
import type { ForcedRelease, PttSource, PttTarget } from "../../state/ptt";

const voice: Pick<Voice, "state"> = {
  state: { plane: "simulated", reason: null, detail: "", micReady: true, noMicrophone: null, roundTrip: null, loss: null },
};

/** The panel's push-to-talk, with a microphone into which nobody speaks. */
export class Silence implements SoundModule {
  #ptt: PttController | null = null;
  readonly recall = null;

  constructor(private readonly panel: Ports) {}

  connected(): void {
    const { store } = this.panel;
    store.change((s) => ({ ...s, sound: { ...s.sound, voice: voice.state, off: null } }));
    if (this.#ptt) return;
    const ptt = new PttController(this.#world());
    ptt.onchange(() => store.change((s) => ({ ...s, ptt: ptt.ptt })));
    this.#ptt = ptt;
  }

  #world(): PttWorld {
    const { store, link } = this.panel;
    const never = (): (() => void) => () => undefined;
    return {
      socket: link.socket,
      voice: { ...voice, transmit: () => null, onchange: never },
      audio: { state: "running", permit: () => undefined, busy: () => undefined, onchange: never },
      me: () => store.now.session.me,
      channels: (target) => keyedBy(store.now, target),
      options: () => {
        const { config } = store.now.radio;
        return { releaseDelay: config?.pttReleaseDelay ?? 350, latch: false, override: config?.bonking.blockTransmission ?? true };
      },
    };
  }

  press(target: PttTarget, source: PttSource = "screen"): void {
    this.#ptt?.press(source, target);
  }

  release(source: PttSource = "screen"): void {
    this.#ptt?.release(source);
  }

  force(reason: ForcedRelease): void {
    this.#ptt?.force(reason);
  }

  stop(): void {
    this.#ptt?.close();
    this.#ptt = null;
  }

  event(): void {}
  disconnected(): void {}
  resume(): void {}
  retryMicrophone(): void {}
  setLoopback(): void {}

  meter(): number {
    return 0;
  }

  microphoneMeter(): number {
    return 0;
  }

  async devices(): Promise<{ microphones: []; outputs: [] }> {
    return { microphones: [], outputs: [] };
  }

  async selfTest(): Promise<SelfTest> {
    return { roundTrip: null, sent: 0, heard: 0 };
  }
}
