import { Alarm, type AlarmLevel, gainOf } from "./audio/alarm";
import type { Engine } from "./audio/engine";
import type { Ports } from "./ports";
import { alarming, openEmergencies, overdue } from "./state/emergency";
import type { State } from "./state/state";

/** How often the alarm's volume follows the clock and the voices, ms. */
const lookEvery = 250;
/** How often a latched push-to-talk reminds of itself, ms. */
const latchTick = 10_000;
/** Volume of the tick when somebody else has acknowledged an emergency. */
const quiet = 0.4;

/** What the console says by itself: the alarm of emergencies, and ticks. */
export class Herald {
  readonly #alarm: Alarm;
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #end: () => void;
  #latched: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly p: Ports,
    private readonly engine: Engine,
  ) {
    this.#alarm = new Alarm(engine.context);
    this.#timer = setInterval(() => this.#sound(), lookEvery);
    this.#end = p.store.watch((now, before) => this.#follow(now, before));
    this.#sound();
  }

  close(): void {
    clearInterval(this.#timer);
    clearInterval(this.#latched);
    this.#end();
    this.#alarm.set(0);
  }

  #follow(now: State, before: State): void {
    if (now.radio.emergencies !== before.radio.emergencies || now.radio.panics !== before.radio.panics) {
      const elsewhere = now.radio.emergencies.some(
        (e) => e.ackAt !== null && e.ackById !== now.session.me && before.radio.emergencies.some((x) => x.id === e.id && alarming(x)),
      );
      if (elsewhere) void this.engine.playTone("TICK", undefined, quiet);
      this.#sound();
    }
    const latched = now.ptt.latched && now.ptt.state === "TX";
    if (latched !== (this.#latched !== undefined)) {
      clearInterval(this.#latched);
      this.#latched = latched ? setInterval(() => void this.engine.playTone("TICK"), latchTick) : undefined;
    }
  }

  #level(s: State): AlarmLevel {
    const all = openEmergencies(s.radio).filter(alarming);
    if (all.length === 0) return "off";
    return all.some((e) => overdue(e, this.p.link.now())) ? "loud" : "on";
  }

  #sound(): void {
    const s = this.p.store.now;
    const level = this.#level(s);
    const { sfxVolume, headset } = s.desk.settings;
    // The alarm must not go out with the own voice, which a headset keeps apart.
    const talking = !headset && (s.ptt.state === "TX" || s.ptt.state === "TAIL");
    this.#alarm.set(talking ? 0 : gainOf(level, sfxVolume, this.engine.mixer.alarmed));
    const sounding = this.#alarm.playing ? level : "off";
    if (sounding !== s.sound.alarm) this.p.store.change((x) => ({ ...x, sound: { ...x.sound, alarm: sounding } }));
  }
}
