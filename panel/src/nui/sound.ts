// The sound of a radio: its voices, tones and siren, its microphone and push-to-talk.

import type { ToneFile } from "../audio/api";
import { Engine } from "../audio/engine";
import { levelsOf } from "../audio/kind";
import type { Ear } from "../audio/place";
import { Space } from "../audio/space";
import { effectOf } from "../audio/weak";
import { PttController } from "../ptt/controller";
import type { ForcedRelease, Ptt, PttSource } from "../state/ptt";
import type { Tone } from "../wire.gen";
import { type Channels, learn, noChannels, strips } from "./channels";
import type { GameLink } from "./link";
import type { FromLua, Microphone, Talker, ToLua } from "./message";
import { Siren } from "./siren";

/** Who keyed, as push-to-talk knows it. */
const sources: Record<"key" | "script", PttSource> = { key: "key", script: "command" };

type PttReport = ToLua["ptt"];

/** reportOf is what Lua is told of a push-to-talk. */
function reportOf(p: Ptt): PttReport {
  const at = p.granted[0] ?? p.asked[0] ?? (p.target?.kind === "channel" ? p.target.frequency : undefined);
  const where = at === undefined ? {} : { frequency: at };
  switch (p.state) {
    case "REQUESTED":
      return { state: "asking", ...where };
    case "TX":
    case "TAIL":
      return { state: "talking", ...where };
    case "DENIED": {
      const last = p.denials.at(-1);
      const talker = last?.holder == null ? {} : { talker: last.holder };
      return { state: "denied", ...where, reason: p.forced ?? last?.reason ?? "denied", ...talker };
    }
    case "IDLE":
      return p.forced === null ? { state: "idle", ...where } : { state: "idle", ...where, reason: p.forced };
  }
}

export class Sound {
  readonly #space: Space;
  readonly #siren: Siren;
  #link: GameLink | null = null;
  #ptt: PttController | null = null;
  /** The channels that push-to-talk keys, and that of an emergency's open microphone: the service grants its floor unasked, and no key ends it. */
  #keyed: readonly string[] = [];
  #hot: string | null = null;
  #channels: Channels = noChannels;
  #drawn = new Map<string, string>();
  #volumes = { tone: 0.5, audio3d: 0.5, announcement: 1, earbuds: false };
  #asked = false;
  #asking = false;
  #said = "";
  onptt: (report: PttReport) => void = () => undefined;
  onmicrophone: () => void = () => undefined;

  private constructor(readonly engine: Engine) {
    this.#space = new Space(engine.context);
    engine.space = this.#space;
    this.#siren = new Siren(engine.context, engine.microphone.behind);
    engine.onchange(() => this.onmicrophone());
    // A browser outside the game plays only after a gesture.
    for (const gesture of ["pointerdown", "keydown"]) addEventListener(gesture, () => engine.state === "suspended" && void engine.resume(), true);
    const force = (reason: ForcedRelease) => () => this.force(reason);
    addEventListener("blur", force("blur"));
    addEventListener("pagehide", force("pagehide"));
    document.addEventListener("visibilitychange", () => document.hidden && this.force("hidden"));
  }

  static async open(): Promise<Sound> {
    return new Sound(await Engine.open());
  }

  get microphone(): Microphone {
    if (this.#asking) return "asking";
    if (!this.#asked) return "unknown";
    return this.engine.microphone.missing === null ? "ready" : "refused";
  }

  /** Why there is no microphone; "": there is, or nobody has asked yet. */
  get noMicrophone(): string {
    return this.#asked && !this.#asking ? (this.engine.microphone.missing ?? "") : "";
  }

  /** The microphone is asked for once, and then kept and muted: asking again would show the game's prompt again. */
  async askMicrophone(again = false): Promise<void> {
    if (this.#asking || (this.#asked && !again)) return;
    this.#asked = this.#asking = true;
    this.onmicrophone();
    await this.engine.microphone.take();
    this.#asking = false;
    this.onmicrophone();
  }

  attach(link: GameLink, me: number): void {
    this.detach();
    this.#link = link;
    this.#channels = noChannels;
    const { engine } = this;
    this.#ptt = new PttController({
      socket: link.socket,
      voice: {
        transmit: (frequencies) => {
          this.#keyed = frequencies;
          return this.#transmit();
        },
        get state() {
          return link.voice.state;
        },
        onchange: (listener) => link.voice.onchange(listener),
      },
      audio: {
        // Lua decides every tone.
        permit: () => undefined,
        busy: () => undefined,
        get state() {
          return engine.state;
        },
        onchange: (listener) => engine.onchange(listener),
      },
      me: () => me,
      channels: (target) => (target.kind === "channel" ? [target.frequency] : []),
      options: () => ({ releaseDelay: this.#channels.config.pttReleaseDelay ?? 350, latch: false, override: false }),
    });
    this.#ptt.onchange(() => this.#hot === null && this.#tellPtt(reportOf(this.#ptt!.ptt)));
  }

  detach(): void {
    this.#hot = null;
    this.#ptt?.close();
    this.#ptt = null;
    this.#link = null;
  }

  #transmit(): Promise<void> | null {
    const hot = this.#hot;
    return this.#link?.voice.transmit(hot === null || this.#keyed.includes(hot) ? this.#keyed : [hot, ...this.#keyed]) ?? null;
  }

  press(m: FromLua & { type: "ptt" }): void {
    const frequency = m.frequency ?? this.#channels.own;
    if (this.#ptt !== null && frequency !== null) {
      if (m.source === "panic") {
        if (this.#open(frequency)) return;
      } else {
        this.#ptt.press(sources[m.source ?? "key"], { kind: "channel", frequency });
        if (this.#ptt.ptt.state !== "IDLE") return;
      }
    }
    this.#said = "";
    this.#tellPtt({ state: "idle", reason: this.#why(frequency) });
  }

  /** open opens the microphone for an emergency; false: there is none to open. */
  #open(frequency: string): boolean {
    if (this.#link?.connected !== true || this.engine.state !== "running" || this.microphone !== "ready") return false;
    this.#hot = frequency;
    this.#transmit();
    this.#tellPtt({ state: "talking", frequency });
    return true;
  }

  /** Why a press came to nothing. */
  #why(frequency: string | null): string {
    if (this.#link?.connected !== true) return "socket";
    if (frequency === null) return "channel";
    return this.engine.state === "running" ? "device" : "sound";
  }

  release(source: (FromLua & { type: "ptt" })["source"]): void {
    if (source === "panic" || source === undefined) this.#cool();
    if (source === "panic") return;
    for (const s of source === undefined ? Object.values(sources) : [sources[source]]) this.#ptt?.release(s);
  }

  /** cool closes a microphone that an emergency has opened. */
  #cool(): void {
    if (this.#hot === null) return;
    this.#hot = null;
    this.#transmit();
    this.#tellPtt(this.#ptt ? reportOf(this.#ptt.ptt) : { state: "idle" });
  }

  /** The link is lost, and with it every floor. */
  lost(): void {
    this.#cool();
  }

  force(reason: ForcedRelease): void {
    this.#ptt?.force(reason);
  }

  #tellPtt(report: PttReport): void {
    const text = JSON.stringify(report);
    if (text === this.#said) return;
    this.#said = text;
    this.onptt(report);
  }

  /** What the service sends changes how channels are mixed. */
  event(name: string, payload: unknown): void {
    const before = this.#channels;
    const now = learn(before, name, payload);
    if (now === before) return;
    this.#channels = now;
    if (now.config !== before.config) {
      this.engine.setEffects(levelsOf(now.config.radioFx ?? {}));
      this.engine.setSignal(effectOf(now.config.signal));
      this.engine.setTones((now.config.tones ?? []).map((tone): ToneFile => ({ name: tone.name, load: () => this.#load(tone) })));
    }
    this.#strips(strips(now));
  }

  #load(tone: Tone): Promise<ArrayBuffer> {
    if (this.#link?.connected !== true) return Promise.reject(new Error("not connected"));
    return this.#link.tone(tone);
  }

  #strips(all: ReturnType<typeof strips>): void {
    for (const [frequency, strip] of all) {
      const text = JSON.stringify(strip);
      if (this.#drawn.get(frequency) === text) continue;
      this.#drawn.set(frequency, text);
      this.engine.setChannel(frequency, strip);
    }
    for (const frequency of [...this.#drawn.keys()]) {
      if (all.has(frequency)) continue;
      this.#drawn.delete(frequency);
      this.engine.removeChannel(frequency);
    }
  }

  volumes(m: FromLua & { type: "sound" }): void {
    const v = (this.#volumes = {
      tone: m.tone ?? this.#volumes.tone,
      audio3d: m.audio3d ?? this.#volumes.audio3d,
      announcement: m.announcement ?? this.#volumes.announcement,
      earbuds: m.earbuds ?? this.#volumes.earbuds,
    });
    // The same square law as the mixer's strips.
    if (m.voice !== undefined) this.engine.setMaster({ voiceVolume: m.voice ** 2 });
    this.engine.setMaster({ sfxVolume: v.tone ** 2 });
    this.#space.setVolume(v.earbuds ? 0 : v.audio3d);
  }

  /** Announcements have a volume of their own within that of tones. */
  tone(name: string, announcement = false): void {
    void this.engine.playTone(name, undefined, announcement ? this.#volumes.announcement : 1);
  }

  siren(on: boolean): void {
    this.#siren.set(on);
  }

  scene(ear: Ear, talkers: readonly Talker[]): void {
    this.#space.scene(ear, talkers.map(([id, x, y, z]) => ({ id, x, y, z })));
  }
}
