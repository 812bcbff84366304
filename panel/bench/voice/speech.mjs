// Seven seconds of speech over each of several bad networks, every one beside a clean
// run of the same round.
import { correlation, aligned } from "../../e2e/voice/envelope.mjs";
import { undisturbed } from "./quiet.mjs";
import { lags, median, outline, percentile, rate } from "./waveform.mjs";

/** What a network does, and what is asked of voice over it: the most that is concealed, %, and how much later it is, ms. */
export const conditions = {
  down5: { usual: true, title: "down 5 %", down: { loss: 0.05 }, concealed: 1 },
  down10: { usual: true, title: "down 10 %", down: { loss: 0.1 }, concealed: 3 },
  runs5: { usual: true, title: "down 5 %, four in a row", down: { loss: 0.05, run: 4 }, concealed: 2.5 },
  up5: { usual: true, title: "up 5 %", up: { loss: 0.05 }, later: 30 },
  jitter60: { usual: true, title: "down, jitter of 60 ms", down: { jitter: 60 }, concealed: 1 },
  // Without a goal, on request.
  runs10: { title: "down 10 %, four in a row", down: { loss: 0.1, run: 4 } },
  up10: { title: "up 10 %", up: { loss: 0.1 } },
  both5: { title: "both ways 5 %", up: { loss: 0.05 }, down: { loss: 0.05 } },
  upjitter60: { title: "up, jitter of 60 ms", up: { jitter: 60 } },
  overtake60: { title: "down, jitter of 60 ms, overtaking", down: { jitter: 60, overtake: true } },
  late10: { title: "down, 10 % late by 30 ms", down: { late: 0.1 } },
  trip100: { title: "round trip 100 ms", up: { delay: 50 }, down: { delay: 50 } },
};

/** How long it goes on after the measured seconds, ms: by then a sender knows what is lost. */
const more = 3000;
/** How long after the end the last syllable may come, ms. */
const rest = 800;

/** speak lets somebody speak over a network, and measures. network: { up, down } of conditions. */
export async function speak(stage, network, { seconds, seed }) {
  const scene = await stage.scene();
  try {
    await scene.connected();
    // The talker's way up, the listener's way down.
    scene.talker.impair({ up: network.up }, seed);
    scene.listener.impair({ down: network.down }, seed);
    await scene.read((seed * 2.3) % 5);
    await scene.record();
    const first = seconds * 1000;
    const { began, counts } = await scene.tab.evaluate((o) => window.bench.transmit(o.marks, o.rest), { marks: [more, first, first + more], rest });
    const { track, slots } = await scene.take();
    if (track === null) throw new Error(`voice came in ${slots} slots, not in one`);
    return { ...heard(track, began, first), ...counted(counts, scene) };
  } finally {
    await scene.close();
  }
}

/** What the recordings show of the first ms of speech, which began at a moment of the tracks' clock. */
function heard({ mouth, said, heard }, began, first) {
  const lagOf = (from) => lags(from, heard, began - from.from, began - from.from + first).map((l) => l.lag);
  const lag = lagOf(said);
  // 10 ms each, as long as the voice may be under way at the end.
  const count = Math.round(first / 10);
  const at = (recording) => ((began - recording.from) * rate) / 1000;
  const spoken = outline(said.samples, at(said), count, 10);
  const came = outline(heard.samples, at(heard), count + 100, 10);
  const rigid = Math.round(median(lag) / 10);
  return {
    lag: median(lag), lag90: percentile(lag, 0.9), found: lag.length, mouth: median(lagOf(mouth)),
    envelope: correlation(spoken, aligned(spoken, came, 0, 100).heard),
    rigid: correlation(spoken, came.slice(rigid, rigid + count)),
  };
}

/** What the browser and the network have counted. The marks: before, 3 s, the first seconds, 3 s more, the end. */
function counted([before, early, first, late, end], scene) {
  const concealed = (a, b) => (100 * (b.concealed - a.concealed)) / (b.played - a.played);
  const share = ({ rtp, lost }) => (100 * lost) / Math.max(1, rtp);
  return {
    concealed: concealed(before, first),
    settled: concealed(early, late),
    fec: end.fec - before.fec,
    lost: end.lost - before.lost,
    received: end.received - before.received,
    buffer: (1000 * (first.delay - before.delay)) / (first.emitted - before.emitted),
    droppedUp: share(scene.talker.counts.up),
    droppedDown: share(scene.listener.counts.down),
    late: [...scene.talker.counts.late, ...scene.listener.counts.late],
  };
}

/** rounds measures the conditions in turn, every one beside the clean run of its round; returns rounds of { version: { name: figures } }. */
export async function rounds(stages, names, { rounds, repeats, seconds, seed, say }) {
  const out = [];
  for (let r = 0; r < rounds; r++) {
    // Each round begins with another condition, so that none is always the last.
    const bad = r < repeats ? names.map((_, i) => names[(r + i) % names.length]) : [];
    const round = {};
    for (const name of ["clean", ...bad]) {
      for (const [version, stage] of Object.entries(stages)) {
        const got = await undisturbed(say, () => speak(stage, conditions[name] ?? {}, { seconds, seed: seed + r }));
        (round[version] ??= {})[name] = got;
        say(`${version}, round ${r + 1} of ${rounds}, ${name}: lag ${got.lag.toFixed(1)} ms, envelope ${got.envelope.toFixed(3)}, concealed ${got.concealed.toFixed(2)} %, timers ${got.timers.toFixed(1)} ms late`);
      }
    }
    out.push(round);
  }
  return out;
}

/** The medians of one version over the rounds; later, concealed and settled are what exceeds the clean run of the same round. */
export function summary(rounds, version, name) {
  const runs = rounds.map((r) => r[version]).filter((r) => r[name] !== undefined);
  const each = {
    later: runs.map((r) => r[name].lag - r.clean.lag),
    concealed: runs.map((r) => r[name].concealed - r.clean.concealed),
    settled: runs.map((r) => r[name].settled - r.clean.settled),
    absolute: runs.map((r) => r[name].concealed),
  };
  for (const key of ["lag", "lag90", "mouth", "envelope", "rigid", "fec", "lost", "buffer", "droppedUp", "droppedDown", "timers"]) each[key] = runs.map((r) => r[name][key]);
  const medians = Object.fromEntries(Object.entries(each).map(([key, values]) => [key, median(values)]));
  return { rounds: runs.length, ...medians, late: percentile(runs.flatMap((r) => r[name].late), 0.99), each };
}
