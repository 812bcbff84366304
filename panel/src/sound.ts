import type { Device, Recall } from "./audio/api";
import type { Bindings } from "./bindings";
import type { SelfTest } from "./link/voice/api";
import type { Follower, Panel } from "./panel";
import type { ForcedRelease, PttSource, PttTarget } from "./ptt/machine";
import type { RadioEvent } from "./state/event";
import type { Soundboard } from "./soundboard";

/** Sound, voice and push-to-talk of a panel. The modules behind it are loaded when the panel is on the air. */
export class Sound implements Follower {
  #board: Soundboard | null = null;
  #opening: Promise<void> | null = null;
  #bindings: Bindings | null = null;
  /** Counts logouts, so that what is still being opened at a logout is not used. */
  #session = 0;
  #lost = false;

  constructor(private readonly panel: Panel) {
    panel.store.watch((now, before) => this.#board?.follow(now, before));
  }

  connected(): void {
    this.#start();
    if (this.#lost) this.#board?.engine.linkRestored();
    this.#lost = false;
  }

  disconnected(): void {
    if (!this.#lost) this.#board?.engine.linkLost();
    this.#lost = true;
  }

  /** At logout. */
  stop(): void {
    this.#session++;
    this.#board?.close();
    this.#board = this.#opening = null;
    this.#lost = false;
  }

  event(e: RadioEvent): void {
    if (e.name === "serverTone") this.#board?.tone(e.payload.tone, e.payload.frequency);
  }

  press(target: PttTarget, source: PttSource = "screen"): void {
    if (this.panel.store.now.sound.off === "unloaded") this.#off("unloaded", true);
    this.#board?.press(target, source);
  }

  release(source: PttSource = "screen"): void {
    this.#board?.release(source);
  }

  force(reason: ForcedRelease): void {
    this.#board?.force(reason);
  }

  meter(frequency: string): number {
    return this.#board?.meter(frequency) ?? 0;
  }

  microphoneMeter(): number {
    return this.#board?.engine.microphoneMeter() ?? 0;
  }

  resume(): void {
    if (this.#board) this.#board.resume();
    else this.#start();
  }

  retryMicrophone(): void {
    void this.#board?.voice.retryMicrophone();
  }

  async devices(): Promise<{ microphones: Device[]; outputs: Device[] }> {
    return this.#board ? this.#board.engine.devices() : { microphones: [], outputs: [] };
  }

  /** Null until sound has been opened. */
  get recall(): Recall | null {
    return this.#board?.engine.recall ?? null;
  }

  setLoopback(on: boolean): void {
    this.#board?.voice.setLoopback(on);
  }

  selfTest(): Promise<SelfTest> {
    return this.#board ? this.#board.voice.selfTest() : Promise.resolve({ roundTrip: null, sent: 0, heard: 0 });
  }

  #start(): void {
    const session = this.#session;
    this.#opening ??= this.#open().catch((e: unknown) => {
      if (this.#session !== session) return;
      this.#opening = null;
      this.#off("unloaded", false);
      console.warn(e);
    });
  }

  #off(off: "unloaded" | null, unsent: boolean): void {
    this.panel.store.change((s) => ({ ...s, sound: { ...s.sound, off, unsent } }));
  }

  async #open(): Promise<void> {
    const session = this.#session;
    // Loaded while the console is already being drawn: the login does not wait for it.
    const [{ openSoundboard }, { Bindings }] = await Promise.all([import("./soundboard"), import("./bindings")]);
    this.#bindings ??= new Bindings(this.panel);
    if (this.panel.store.now.sound.off === "unloaded") this.#off(null, false);
    const board = await openSoundboard(this.panel);
    if (this.#session !== session) board?.close(); // logged out meanwhile
    else this.#board = board;
    await this.#board?.start();
  }
}
