// The figures as a table, each beside what is asked of it.
import { manners } from "./bursts.mjs";
import { conditions } from "./speech.mjs";
import { median } from "./waveform.mjs";

/** What is asked of clean runs: the lag, ms, and the share of runs whose envelope fits so well. */
const clean = { lag: 75, envelope: 0.95, share: 0.9 };
/** What is asked of each end of a burst: the share of it that is heard, in the middle one and in the worst one. */
const burst = { median: 0.95, least: 0.8 };

/** goal: what is asked, in words, and whether it is met; none is a figure to look at. */
function row(what, figure, goal, note = "") {
  const [words, met] = goal ?? ["", undefined];
  console.log(`${what.padEnd(44)} ${figure.padStart(12)}  ${words.padEnd(12)} ${(met === undefined ? "" : met ? "met" : "MISSED").padEnd(7)} ${note}`.trimEnd());
}

const each = (values, digits = 0) => values.map((v) => v.toFixed(digits)).join(" ");
const atMost = (value, limit, unit) => (limit === undefined ? undefined : [`≤ ${limit} ${unit}`, value <= limit]);

/** print prints what one version has reached. */
export function print({ speech, bursts, blocked, dying }, { seconds }) {
  if (Object.keys(speech).length > 0) console.log(`\n${seconds} s of speech, medians of rounds`);
  for (const [name, s] of Object.entries(speech)) {
    if (name === "clean") printClean(s);
    else printBad(conditions[name], s);
  }
  for (const [manner, all] of Object.entries(bursts)) {
    console.log(`\nbursts: ${manners[manner].title}`);
    for (const [held, b] of Object.entries(all)) printBursts(held, b);
  }
  for (const [who, runs] of Object.entries(blocked)) {
    console.log(`\nUDP of the ${who} is blocked from the start`);
    printOutage("key-up to voice", runs, "voice");
    printOutage("silence after that", runs, "breaks");
    printOutage("until the console calls it blocked", runs, "settled");
  }
  for (const [who, runs] of Object.entries(dying)) {
    console.log(`\nUDP of the ${who} dies while somebody talks`);
    printOutage("until voice is there again", runs, "voice");
    printOutage("silence in that time", runs, "deaf");
    printOutage("path back to voice on WebRTC", runs, "webrtc");
    printOutage("silence while it moves back", runs, "breaks");
  }
}

function printClean(s) {
  const good = s.each.envelope.filter((v) => v > clean.envelope).length;
  row("clean: lag p50, track to track", `${s.lag.toFixed(1)} ms`, atMost(s.lag, clean.lag, "ms"), `p90 ${s.lag90.toFixed(1)}; from the microphone ${s.mouth.toFixed(1)}; rounds ${each(s.each.lag)}`);
  row(`clean: envelope above ${clean.envelope}`, `${good} of ${s.rounds}`, [`${clean.share * 10} of 10`, good >= clean.share * s.rounds], each(s.each.envelope, 3));
  row("clean: concealed", `${s.absolute.toFixed(2)} %`);
}

function printBad({ title, concealed, later }, s) {
  const really = [
    s.droppedUp > 0 && `${s.droppedUp.toFixed(1)} % lost up`,
    s.droppedDown > 0 && `${s.droppedDown.toFixed(1)} % lost down`,
    s.late > 0 && `delays ${s.late.toFixed(1)} ms longer than asked (p99)`,
  ].filter(Boolean);
  row(`${title}: concealed`, `${s.concealed.toFixed(2)} %`, atMost(s.concealed, concealed, "%"), [`after 3 s ${s.settled.toFixed(2)} %`, `rounds ${each(s.each.concealed, 1)}`, ...really, `${s.fec} FEC packets`].join("; "));
  row(`${title}: lag p50 above clean`, `${s.later.toFixed(1)} ms`, atMost(s.later, later, "ms"), `rounds ${each(s.each.later)}; envelope ${s.envelope.toFixed(3)}`);
}

function printBursts(held, b) {
  row(`${b.count} of ${held} ms: missing`, String(b.missing), ["0", b.missing === 0]);
  for (const [end, longest] of [["first", 200], ["last", 100]]) {
    const title = `${b.count} of ${held} ms: ${end} ${Math.min(Number(held), longest)} ms`;
    const { median, least, each: all } = b[end];
    row(`${title}, share heard`, median.toFixed(3), [`≥ ${burst.median}`, median >= burst.median]);
    row(`${title}, the worst`, least.toFixed(3), [`≥ ${burst.least}`, least >= burst.least], `${all.filter((v) => v < burst.least).length} below it`);
  }
}

function printOutage(title, runs, key) {
  const v = runs.map((r) => r[key]);
  const heard = runs.filter((r) => r.heard && r.real).length;
  row(title, v.some(Number.isNaN) ? "never" : `${Math.round(median(v))} ms`, undefined, `runs ${each(v)}${heard === runs.length ? "" : `; VOICE CAME IN ${heard} OF ${runs.length} ONLY`}`);
}
