import type { ChannelKind, Device } from "./audio/api";
import type { Bindings } from "./bindings";
import type { Engine } from "./audio/engine";
import type { SelfTest } from "./link/voice/api";
import type { VoiceLink } from "./link/voice/voice";
import type { Follower, Panel } from "./panel";
import type { PttController } from "./ptt/controller";
import type { PttSource, PttTarget } from "./ptt/machine";
import { heard, levelOf } from "./state/desk";
import type { RadioEvent } from "./state/event";
import { homeOf } from "./state/radio";
import { globalTargets, type State } from "./state/state";

/** Sound, voice and push-to-talk of a panel: they follow the state, and the state shows how they are. */
export class Sound implements Follower {
  #engine: Engine | null = null;
  #voice: VoiceLink | null = null;
  #opening: Promise<void> | null = null;
  #bindings: Bindings | null = null;
  #lost = false;
  #drawn = new Map<string, string>();
  ptt: PttController | null = null;

  constructor(private readonly panel: Panel) {
    panel.store.watch((now, before) => this.#follow(now, before));
  }

  connected(): void {
    this.#opening ??= this.#open();
    if (this.#lost) this.#engine?.linkRestored();
    this.#lost = false;
  }

  disconnected(): void {
    if (!this.#lost) this.#engine?.linkLost();
    this.#lost = true;
  }

  /** At logout. */
  stop(): void {
    this.ptt?.close();
    this.#voice?.stop();
    void this.#engine?.close();
    this.ptt = this.#voice = this.#engine = this.#opening = null;
    this.#drawn.clear();
    this.#lost = false;
  }

  event(e: RadioEvent): void {
    if (e.name !== "serverTone" || !this.#engine) return;
    const { tone, frequency } = e.payload;
    const { desk } = this.panel.store.now;
    // An emergency is heard on every channel; other tones where this desk listens.
    if (frequency === "" || tone === "PANIC") void this.#engine.playTone(tone);
    else if (desk.joined === frequency || heard(desk).includes(frequency)) void this.#engine.playTone(tone, frequency);
  }

  press(target: PttTarget, source: PttSource = "screen"): void {
    void this.#engine?.resume();
    this.ptt?.press(source, target);
  }

  release(source: PttSource = "screen"): void {
    this.ptt?.release(source);
  }

  /** A talkgroup's meter shows all its groups. */
  meter = (frequency: string): number => {
    const engine = this.#engine;
    if (!engine) return 0;
    let peak = engine.meter(frequency);
    const { radio } = this.panel.store.now;
    if (radio.channels[frequency]?.type === "trunked") {
      for (const l of Object.values(radio.live)) if (l.control === frequency) peak = Math.max(peak, engine.meter(l.frequency));
    }
    return peak;
  };

  microphoneMeter(): number {
    return this.#engine?.microphoneMeter() ?? 0;
  }

  resume(): void {
    void this.#engine?.resume();
  }

  retryMicrophone(): void {
    void this.#voice?.retryMicrophone();
  }

  async devices(): Promise<{ microphones: Device[]; outputs: Device[] }> {
    return this.#engine ? this.#engine.devices() : { microphones: [], outputs: [] };
  }

  setLoopback(on: boolean): void {
    this.#voice?.setLoopback(on);
  }

  selfTest(): Promise<SelfTest> {
    return this.#voice ? this.#voice.selfTest() : Promise.resolve({ roundTrip: null, sent: 0, heard: 0 });
  }

  async #open(): Promise<void> {
    const { store, link } = this.panel;
    // Loaded while the console is already being drawn: the login does not wait for it.
    const [{ Engine }, { VoiceLink }, { PttController }, { Bindings }] = await Promise.all([
      import("./audio/engine"),
      import("./link/voice/voice"),
      import("./ptt/controller"),
      import("./bindings"),
    ]);
    this.#bindings ??= new Bindings(this.panel);
    let engine: Engine;
    try {
      engine = await Engine.open();
    } catch (e) {
      this.panel.store.change((s) => ({
        ...s,
        sound: { ...s.sound, voice: { ...s.sound.voice, plane: "none", noMicrophone: "unsupported", detail: String(e) } },
      }));
      return;
    }
    this.#engine = engine;
    const voice = new VoiceLink(engine);
    this.#voice = voice;
    const ptt = new PttController({
      socket: link.socket,
      voice,
      audio: { permit: (f) => engine.permit(f), busy: () => this.#busy() },
      me: () => store.now.session.me,
      channels: (target) => this.#channels(target),
      options: () => {
        const { config } = store.now.radio;
        return {
          releaseDelay: config?.pttReleaseDelay ?? 350,
          latch: store.now.desk.settings.latch,
          override: config?.bonking.blockTransmission ?? true,
        };
      },
    });
    this.ptt = ptt;
    ptt.onchange(() => store.change((s) => ({ ...s, ptt: ptt.ptt })));
    const show = (): void => {
      store.change((s) => ({
        ...s,
        sound: { voice: voice.state, faults: voice.faults, waiting: voice.waiting, suspended: engine.state === "suspended" },
      }));
    };
    voice.onchange(show);
    engine.onchange(show);
    show();
    const { settings } = store.now.desk;
    if (settings.microphone) await engine.setMicrophone(settings.microphone).catch(() => undefined); // told by the voice state
    this.#all(store.now);
    await voice.start(link.socket);
  }

  #busy(): void {
    if (this.panel.store.now.radio.config?.bonking.playBonkTone !== false) this.#engine?.busy();
  }

  /** The channels that a target keys now. */
  #channels(target: PttTarget): readonly string[] {
    const s = this.panel.store.now;
    switch (target.kind) {
      case "global":
        return globalTargets(s);
      case "channel":
        return s.radio.channels[target.frequency]?.canTransmit ? [target.frequency] : [];
      case "group":
        return s.radio.config?.announcementGroups.find((g) => g.id === target.groupId)?.frequencies ?? [];
      case "patch": // patched channels share one floor: keying one is heard on all
        return s.radio.patches.find((p) => p.id === target.patchId)?.frequencies.slice(0, 1) ?? [];
    }
  }

  #follow(now: State, before: State): void {
    if (!this.#engine) return;
    const { settings } = now.desk;
    if (settings !== before.desk.settings) this.#settings(settings, before.desk.settings);
    if (now.radio.config !== before.radio.config) this.#config(now);
    if (now.desk !== before.desk || now.radio.panics !== before.radio.panics || now.radio.live !== before.radio.live) this.#strips(now);
  }

  #all(now: State): void {
    this.#settings(now.desk.settings, null);
    this.#config(now);
    this.#strips(now);
  }

  #settings(now: State["desk"]["settings"], before: State["desk"]["settings"] | null): void {
    const engine = this.#engine;
    if (!engine) return;
    engine.setMaster({ voiceVolume: now.voiceVolume, sfxVolume: now.sfxVolume });
    if (before && now.microphone !== before.microphone) void engine.setMicrophone(now.microphone).catch(() => undefined);
    if (now.selectedOutput !== (before?.selectedOutput ?? "") || now.output !== (before?.output ?? ""))
      void engine.setOutputs(now.selectedOutput, now.output).catch((e) => this.panel.fault("", String(e)));
  }

  #config({ radio: { config } }: State): void {
    if (!config || !this.#engine) return;
    this.#engine.setTones(config.tones.map((x) => ({ name: x.name, url: `/radio/tones/${encodeURIComponent(x.file)}` })));
    this.#engine.setEffects(Object.fromEntries(Object.entries(config.radioFx).map(([kind, level]) => [kind, level > 1 ? level / 100 : level])));
  }

  /** Strips are told only what has changed of them. */
  #strips(now: State): void {
    const { desk, radio } = now;
    const all = new Set([...Object.keys(radio.channels), ...Object.keys(radio.live)]);
    for (const f of all) {
      const home = homeOf(radio, f);
      const type = radio.channels[home]?.type;
      const strip = {
        ...levelOf(desk, home),
        selected: desk.joined === home || desk.selected.includes(home),
        priority: desk.scans[home] ?? (0 as const),
        emergency: radio.panics.some((p) => homeOf(radio, p.frequency) === home),
        kind: (type === "digital" || type === "trunked" ? type : "conventional") as ChannelKind,
      };
      const text = JSON.stringify(strip);
      if (this.#drawn.get(f) === text) continue;
      this.#drawn.set(f, text);
      this.#engine?.setChannel(f, strip);
    }
    for (const f of this.#drawn.keys()) {
      if (all.has(f)) continue;
      this.#drawn.delete(f);
      this.#engine?.removeChannel(f);
    }
  }
}
