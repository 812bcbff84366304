import type { Device, Recall } from "./audio/api";
import type { Bindings } from "./bindings";
import type { SelfTest } from "./link/voice/api";
import type { SoundModule } from "./panel";
import type { Ports } from "./ports";
import type { ForcedRelease, PttSource, PttTarget } from "./state/ptt";
import type { RadioEvent } from "./state/event";
import type { Soundboard } from "./soundboard";

/** Sound, voice and push-to-talk of a panel. The modules behind it are loaded when the panel is on the air. */
export class Sound implements SoundModule {
  #board: Soundboard | null = null;
  #opening: Promise<void> | null = null;
  #bindings: Bindings | null = null;
  /** Counts logouts, so that what is still being opened at a logout is not used. */
  #session = 0;
  #lost = false;
  /** What is pressed before there is sound: it talks as soon as there is, if it is still held. */
  #early: { target: PttTarget; source: PttSource } | null = null;

  constructor(private readonly panel: Ports) {}

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
    this.#bindings?.close();
    this.#board = this.#opening = this.#bindings = this.#early = null;
    this.#lost = false;
  }

  event(e: RadioEvent): void {
    if (e.name === "serverTone") this.#board?.tone(e.payload.tone, e.payload.frequency);
  }

  press(target: PttTarget, source: PttSource = "screen"): void {
    if (this.panel.store.now.sound.off === "unloaded") this.#off("unloaded", true);
    if (this.#board) this.#board.press(target, source);
    else this.#early = { target, source };
  }

  release(source: PttSource = "screen"): void {
    if (this.#early?.source === source) this.#early = null;
    this.#board?.release(source);
  }

  force(reason: ForcedRelease): void {
    this.#early = null;
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
    const held = holding();
    const [{ openSoundboard }, { Bindings }] = await Promise.all([import("./soundboard"), import("./bindings")]).finally(held.end);
    if (this.#session !== session) return; // logged out meanwhile
    this.#bindings ??= new Bindings(this.panel, held.keys.values());
    if (this.panel.store.now.sound.off === "unloaded") this.#off(null, false);
    const board = await openSoundboard(this.panel);
    if (this.#session !== session) {
      board?.close();
      return;
    }
    this.#board = board;
    await board?.start();
    if (this.#session !== session) return;
    const early = this.#early;
    this.#early = null;
    if (early) this.#board?.press(early.target, early.source);
  }
}

/** The keys that are held, until end: those that were pressed before the bindings are there. */
function holding(): { keys: Map<string, KeyboardEvent>; end: () => void } {
  const keys = new Map<string, KeyboardEvent>();
  const over = new AbortController();
  const { signal } = over;
  addEventListener("keydown", (e) => e.repeat || keys.set(e.code, e), { signal });
  addEventListener("keyup", (e) => keys.delete(e.code), { signal, capture: true });
  addEventListener("blur", () => keys.clear(), { signal });
  return { keys, end: () => over.abort() };
}
