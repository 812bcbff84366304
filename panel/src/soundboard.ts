import { Engine } from "./audio/engine";
import { kindOf, levelsOf } from "./audio/kind";
import { effectOf } from "./audio/weak";
import { t } from "./i18n/language.svelte";
import type { Voice } from "./link/voice/api";
import type { Ports } from "./ports";
import { PttController } from "./ptt/controller";
import type { ForcedRelease, PttSource, PttTarget } from "./state/ptt";
import { heard, levelOf, priorityOf } from "./state/desk";
import { alarming, openEmergencies } from "./state/emergency";
import { homeOf } from "./state/radio";
import { keyedBy } from "./state/pttbar";
import type { State } from "./state/state";
import { Herald } from "./herald";

/** How long sound may take to start after a gesture, ms; after that it is not permission that is missing. Opening a device takes up to a second. */
const startTime = 2_500;
/** What browsers take for a gesture; a touch counts when it ends. */
const gestures = ["pointerdown", "pointerup", "keydown"] as const;

/** Whether there was a gesture in this page, after which browsers allow sound. */
const touched = (): boolean => navigator.userActivation?.hasBeenActive ?? true;

/** The audio engine, the link's voice and the push-to-talk, put together. Null if the browser has no audio. */
export async function openSoundboard(panel: Ports): Promise<Soundboard | null> {
  let engine: Engine;
  try {
    engine = await Engine.open();
  } catch (e) {
    panel.store.change((s) => ({
      ...s,
      sound: { ...s.sound, voice: { ...s.sound.voice, plane: "none", noMicrophone: "unsupported", detail: String(e) } },
    }));
    return null;
  }
  try {
    return new Soundboard(panel, engine, await panel.link.voice(engine));
  } catch (e) {
    void engine.close();
    throw e;
  }
}

/** What is heard follows the state, and the state shows the condition of sound, voice and push-to-talk. */
export class Soundboard {
  readonly ptt: PttController;
  #drawn = new Map<string, string>();
  /** What is pressed while sound is off: it talks as soon as sound is on. */
  #pressed: { target: PttTarget; source: PttSource } | null = null;
  #unsent = false;
  /** Sound was asked for by a gesture, and did not start. */
  #stuck = false;
  #starting: ReturnType<typeof setTimeout> | undefined;
  readonly #ends: (() => void)[];
  readonly #herald: Herald;

  constructor(
    private readonly panel: Ports,
    readonly engine: Engine,
    readonly voice: Voice,
  ) {
    const { store, link } = panel;
    engine.recall.now = () => link.now();
    this.#herald = new Herald(panel, engine);
    this.ptt = new PttController({
      socket: link.socket,
      voice,
      audio: {
        permit: (f) => engine.permit(f),
        busy: () => this.#busy(),
        get state() {
          return engine.state;
        },
        onchange: (listener) => engine.onchange(listener),
      },
      me: () => store.now.session.me,
      channels: (target) => keyedBy(store.now, target),
      options: () => {
        const { config } = store.now.radio;
        return {
          releaseDelay: config?.pttReleaseDelay ?? 350,
          latch: store.now.desk.settings.latch,
          override: config?.bonking.blockTransmission ?? true,
        };
      },
    });
    this.#ends = [
      this.ptt.onchange(() => store.change((s) => ({ ...s, ptt: this.ptt.ptt }))),
      voice.onchange(() => this.#show()),
      engine.onchange(() => this.#show()),
      store.watch((now, before) => this.#follow(now, before)),
    ];
    for (const g of gestures) addEventListener(g, this.resume, true);
  }

  /** The first gesture turns sound on, wherever it is. */
  readonly resume = (): void => {
    const { engine } = this;
    if (engine.state !== "suspended") return;
    engine.resume().then(
      () => {
        const pressed = this.#pressed;
        this.#pressed = null;
        if (pressed) this.ptt.press(pressed.source, pressed.target);
      },
      () => undefined, // the state shows it
    );
    this.#starting ??= setTimeout(() => {
      this.#starting = undefined;
      this.#stuck = touched();
      this.#show();
    }, startTime);
  };

  /** Why there is no sound; null: there is. */
  #off(): State["sound"]["off"] {
    if (this.engine.state !== "suspended") {
      clearTimeout(this.#starting);
      this.#starting = undefined;
      this.#unsent = this.#stuck = false;
      return null;
    }
    if (this.#stuck) return "device";
    if (!touched()) return "click";
    if (this.#starting === undefined) this.resume();
    return "start";
  }

  async start(): Promise<void> {
    const { store, link } = this.panel;
    this.#show();
    const { microphone } = store.now.desk.settings;
    if (microphone) await this.engine.setMicrophone(microphone).catch(() => undefined); // the voice state shows it
    this.#settings(store.now.desk.settings, null);
    this.#config(store.now);
    this.#strips(store.now);
    await this.voice.start(link.socket);
  }

  close(): void {
    for (const g of gestures) removeEventListener(g, this.resume, true);
    clearTimeout(this.#starting);
    this.#herald.close();
    this.ptt.close();
    this.voice.stop();
    for (const end of this.#ends) end();
    void this.engine.close();
  }

  press(target: PttTarget, source: PttSource): void {
    if (this.engine.state === "running") return this.ptt.press(source, target);
    this.#pressed = { target, source };
    this.#unsent = true;
    this.resume();
    this.#show();
  }

  release(source: PttSource): void {
    if (this.#pressed?.source === source) this.#pressed = null;
    this.ptt.release(source);
  }

  force(reason: ForcedRelease): void {
    this.#pressed = null;
    this.ptt.force(reason);
  }

  /** An emergency is heard on every channel; other tones where this desk listens. */
  tone(tone: string, frequency: string): void {
    const { desk } = this.panel.store.now;
    if (frequency === "" || tone === "PANIC") void this.engine.playTone(tone);
    else if (desk.joined === frequency || heard(desk).includes(frequency)) void this.engine.playTone(tone, frequency);
  }

  /** A talkgroup's meter shows all its working frequencies. */
  meter(frequency: string): number {
    let peak = this.engine.meter(frequency);
    const { radio } = this.panel.store.now;
    if (radio.channels[frequency]?.type === "trunked") {
      for (const l of Object.values(radio.live)) if (l.control === frequency) peak = Math.max(peak, this.engine.meter(l.frequency));
    }
    return peak;
  }

  #show(): void {
    const { voice, engine } = this;
    const off = this.#off();
    this.panel.store.change((s) => ({
      ...s,
      sound: {
        ...s.sound,
        voice: voice.state, faults: voice.faults, waiting: voice.waiting, recall: engine.recall.state,
        off, unsent: this.#unsent,
      },
    }));
  }

  #busy(): void {
    if (this.panel.store.now.radio.config?.bonking.playBonkTone !== false) this.engine.busy();
  }

  /** Called after every change of the state. */
  #follow(now: State, before: State): void {
    const { settings } = now.desk;
    if (settings !== before.desk.settings) this.#settings(settings, before.desk.settings);
    if (now.radio.config !== before.radio.config) this.#config(now);
    if (now.desk !== before.desk || now.radio.panics !== before.radio.panics || now.radio.emergencies !== before.radio.emergencies || now.radio.live !== before.radio.live) this.#strips(now);
  }

  #settings(now: State["desk"]["settings"], before: State["desk"]["settings"] | null): void {
    const { engine } = this;
    engine.setMicrophoneGain(now.microphoneLevel);
    engine.setMaster({ voiceVolume: now.voiceVolume, sfxVolume: now.sfxVolume });
    if (before && now.microphone !== before.microphone) void engine.setMicrophone(now.microphone).catch(() => undefined);
    if (now.selectedOutput !== (before?.selectedOutput ?? "") || now.output !== (before?.output ?? ""))
      void engine.setOutputs(now.selectedOutput, now.output).catch((e) => this.panel.fault(t("sound.output"), e instanceof Error ? e.message : String(e)));
  }

  #config({ radio: { config } }: State): void {
    if (!config) return;
    const { link } = this.panel;
    this.engine.setTones(
      config.tones.map((x) => {
        const url = link.toneAddress(x.file);
        return url === undefined ? { name: x.name } : { name: x.name, url };
      }),
    );
    this.engine.setSignal(effectOf(config.signal));
    this.engine.setEffects(levelsOf(config.radioFx));
  }

  /** Sends a strip only what has changed. */
  #strips(now: State): void {
    const { desk, radio } = now;
    const all = new Set([...Object.keys(radio.channels), ...Object.keys(radio.live)]);
    const urgent = new Set(openEmergencies(radio).filter((e) => alarming(e) || e.endedAt === null).map((e) => homeOf(radio, e.frequency)));
    for (const f of all) {
      const home = homeOf(radio, f);
      const strip = {
        ...levelOf(desk, home),
        home,
        selected: desk.joined === home || desk.selected.includes(home),
        priority: priorityOf(desk, home) ?? (0 as const),
        emergency: urgent.has(home),
        kind: kindOf(radio.channels[home]?.type),
      };
      const text = JSON.stringify(strip);
      if (this.#drawn.get(f) === text) continue;
      this.#drawn.set(f, text);
      this.engine.setChannel(f, strip);
    }
    for (const f of this.#drawn.keys()) {
      if (all.has(f)) continue;
      this.#drawn.delete(f);
      this.engine.removeChannel(f);
    }
  }
}
