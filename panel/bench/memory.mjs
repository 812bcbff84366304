// Whether memory is flat: the page's heap after a collection, its elements, listeners
// and audio nodes, and what the service holds, sampled while the county talks.
import { readFileSync } from "node:fs";

/** They grow until the log (500 transmissions) and the tape of the recall (60 s a channel) are full, s. */
const settling = 180;
/** Time between two samples, s. */
const every = 20;

/**
 * What is measured: its unit, and by how much its last samples may exceed its first
 * ones: a share of them, plus a fixed amount. Talkers come and go, and garbage
 * collectors run when they like; a leak of one object a transmission (8 a second)
 * exceeds all of it within minutes.
 */
const measures = {
  heap: { unit: "MB", part: 0.05, more: 1 },
  buffers: { unit: "array buffers", part: 0.1, more: 300 },
  elements: { unit: "DOM nodes", part: 0.03, more: 200 },
  listeners: { unit: "listeners", part: 0.1, more: 50 },
  audio: { unit: "audio nodes", part: 0.1, more: 64 }, // those of ended tones go when the audio thread has time
  service: { unit: "MB RSS of the service", part: 0.15, more: 8 },
};

export class Memory {
  samples = [];

  /** devtools is a session with the page; pid is the service's. */
  constructor(devtools, pid, radios) {
    this.devtools = devtools;
    this.pid = pid;
    this.radios = radios;
  }

  async settle() {
    console.log(`${settling} s until what is bounded is full`);
    for (let s = 0; s < settling; s += every) {
      await pause(every);
      console.log(`  ${line(await this.#sample())}`);
    }
  }

  async watch(seconds) {
    const count = Math.max(3, Math.round(seconds / every));
    for (let i = 1; i <= count; i++) {
      await pause(every);
      const sample = await this.#sample();
      this.samples.push(sample);
      console.log(`${String(i * every).padStart(5)} of ${count * every} s: ${line(sample)}`);
    }
  }

  async #sample() {
    for (const r of this.radios) r.forget(); // the events that they keep are this program's memory, and nobody reads them
    await this.devtools.send("HeapProfiler.collectGarbage");
    const { metrics } = await this.devtools.send("Performance.getMetrics");
    const of = (name) => {
      const m = metrics.find((x) => x.name === name);
      if (!m) throw new Error(`the browser does not tell ${name}`);
      return m.value;
    };
    const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${this.pid}/status`, "utf8"));
    return {
      heap: of("JSHeapUsedSize") / 1e6,
      buffers: of("ArrayBufferContents"),
      elements: of("Nodes"),
      listeners: of("JSEventListeners"),
      audio: of("AudioHandlers"),
      service: Number(rss[1]) / 1000,
    };
  }

  /** verdict prints for each measure whether it is flat, and returns whether all are. */
  verdict() {
    const third = Math.max(1, Math.floor(this.samples.length / 3));
    let flat = true;
    for (const [name, { unit, part, more }] of Object.entries(measures)) {
      const first = median(this.samples.slice(0, third).map((s) => s[name]));
      const last = median(this.samples.slice(-third).map((s) => s[name]));
      const most = first * (1 + part) + more;
      const grown = last > most;
      flat &&= !grown;
      console.log(`${grown ? "GROWN" : "flat "} ${name}: ${first.toFixed(1)} to ${last.toFixed(1)} ${unit}, at most ${most.toFixed(1)}`);
    }
    console.log(flat ? "memory is flat" : "memory is not flat");
    return flat;
  }
}

const pause = (s) => new Promise((give) => setTimeout(give, s * 1000));

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

const line = (sample) =>
  Object.entries(sample)
    .map(([name, v]) => `${v.toFixed(Number.isInteger(v) ? 0 : 1)} ${measures[name].unit}`)
    .join(", ");
