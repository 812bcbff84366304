// A sound card for Firefox, whose audio runs only with a device: PulseAudio with
// a loudspeaker and a microphone that exist in memory only.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { speech } from "../voice/speech.mjs";
import { until } from "../wait.mjs";

/** Hz */
const rate = 48_000;
/** What counts as silence in a recording: RMS of 10 ms. */
const silent = 0.002;
/** This much silence is longer than any breath between two words, in 10 ms. */
const hush = 40;

export class SoundCard {
  #children = new Set();
  #playing = false;

  /** A card that ends with the test, or by itself when nobody uses it any more. */
  static async start(t) {
    const card = new SoundCard();
    card.dir = mkdtempSync(join(tmpdir(), "squelch-sound-"));
    t.after(() => card.end());
    process.once("exit", () => card.#kill());
    process.once("SIGTERM", () => process.exit(143));
    const socket = join(card.dir, "socket");
    // Everything of it is in that folder, so that it meets no other PulseAudio, and
    // root may run it.
    card.env = { ...process.env, HOME: card.dir, XDG_RUNTIME_DIR: card.dir, XDG_CONFIG_HOME: card.dir, PULSE_RUNTIME_PATH: card.dir, PULSE_STATE_PATH: card.dir, PULSE_SERVER: `unix:${socket}` };
    const daemon = card.#run("pulseaudio", [
      "-n", "--daemonize=no", "--use-pid-file=no", "--exit-idle-time=60", "--realtime=no", "--high-priority=no", "--disable-shm=yes",
      `--load=module-native-protocol-unix socket=${socket} auth-anonymous=1`,
      `--load=module-null-sink sink_name=loudspeaker rate=${rate}`,
      `--load=module-null-sink sink_name=mouth rate=${rate} channels=1`,
      `--load=module-remap-source source_name=microphone master=mouth.monitor rate=${rate} channels=1`,
    ]);
    await until("PulseAudio answers", () => {
      if (daemon.exitCode !== null) throw new Error(`PulseAudio ended with ${daemon.exitCode}: ${daemon.said}`);
      return card.#done("pactl", ["info"]);
    });
    await card.#done("pactl", ["set-default-sink", "loudspeaker"]);
    await card.#done("pactl", ["set-default-source", "microphone"]);
    return card;
  }

  #run(program, args, output = "ignore") {
    const child = spawn(program, args, { env: this.env, stdio: ["ignore", output, "pipe"] });
    child.said = "";
    child.stderr.on("data", (b) => (child.said += b));
    child.on("error", (e) => (child.said += `${program}: ${e.message}: run 'just browsers'`));
    child.once("close", () => this.#children.delete(child));
    this.#children.add(child);
    return child;
  }

  /** Runs a program to its end. True if it succeeded. */
  #done(program, args) {
    const child = this.#run(program, args);
    return new Promise((give) => child.once("close", (code) => give(code === 0)));
  }

  /** Somebody reads aloud in front of the microphone, again and again, until the card ends. */
  speak() {
    const wav = join(this.dir, "speech.wav");
    writeFileSync(wav, speech());
    this.#playing = true;
    const read = () => this.#playing && this.#run("paplay", ["--device=mouth", wav]).once("close", read);
    read();
  }

  /** What the microphone hears from now on. */
  microphone(epoch) {
    return this.#record("microphone", epoch);
  }

  /** What comes out of the loudspeaker from now on. */
  loudspeaker(epoch) {
    return this.#record("loudspeaker.monitor", epoch);
  }

  /**
   * Records until stop, which returns the loudness: RMS per 10 ms. Recordings count
   * from the epoch, in ms, whenever they began.
   */
  async #record(device, epoch) {
    const child = this.#run("parec", [`--device=${device}`, `--rate=${rate}`, "--channels=1", "--format=float32le", "--latency-msec=10"], "pipe");
    const pieces = [];
    let began = 0;
    child.stdout.on("data", (b) => {
      began ||= Date.now();
      pieces.push(b);
    });
    await until(`sound from ${device}`, () => began > 0);
    const loudness = () => {
      const bytes = Buffer.concat(pieces);
      const step = rate / 100;
      const all = new Array(Math.max(0, Math.round((began - epoch) / 10))).fill(0);
      for (let at = 0; at + 4 * step <= bytes.length; at += 4 * step) {
        let sum = 0;
        for (let i = at; i < at + 4 * step; i += 4) sum += bytes.readFloatLE(i) ** 2;
        all.push(Math.sqrt(sum / step));
      }
      return all;
    };
    return {
      /** Waits until it has recorded something, and then silence for longer than any breath between two words. */
      hearsOut: () =>
        until(`what comes from ${device} is over`, () => {
          const all = loudness();
          const last = all.findLastIndex((v) => v >= silent);
          return last >= 0 && all.length - last > hush;
        }),
      stop: async () => {
        child.kill();
        await new Promise((give) => child.once("close", give));
        return loudness();
      },
    };
  }

  #kill() {
    this.#playing = false;
    for (const child of this.#children) child.kill("SIGKILL");
  }

  async end() {
    const ended = [...this.#children].map((child) => new Promise((give) => child.once("close", give)));
    this.#kill();
    await Promise.all(ended);
    rmSync(this.dir, { recursive: true, force: true });
  }
}
