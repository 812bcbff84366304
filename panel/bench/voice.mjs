// Voice between two consoles in real Chromium, over good and bad networks, on the real
// service: node bench/voice.mjs --help
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { lengths, manners, summary as burstSummary, transmit } from "./voice/bursts.mjs";
import { blockedAtStart, diesInSession } from "./voice/outage.mjs";
import { most, undisturbed } from "./voice/quiet.mjs";
import { print } from "./voice/report.mjs";
import { conditions, rounds, summary } from "./voice/speech.mjs";

const parts = ["clean", ...Object.keys(conditions), "bursts", "blocked", "dying"];
const usual = parts.filter((p) => conditions[p]?.usual ?? true);

const help = `Voice between two consoles in real Chromium, over good and bad networks.

  SQUELCH_BIN=… node bench/voice.mjs [flags]

Talker and listener are two consoles in one page, with one audio clock. Each has a
network of its own between the browser and the service's media port. A lag is from
track to track; concealment and lag on a bad network are what exceeds the clean run of
the same round. While the machine is busy with other work, so that timers are over
${most} ms late (p99), a run is repeated, three times at most.

  --only NAMES     some parts, with commas (default: ${usual.join(",")})
                   there are: ${parts.join(", ")}
  --rounds N       clean runs (10)
  --repeats N      rounds that have the bad networks too (5)
  --seconds N      speech that is measured in a run (7); 3 s more follow
  --bursts N       bursts of each length, in each of two manners (20)
  --outages N      runs of each outage (3)
  --seed N         which packets are lost, and what is read (1)
  --first FOLDER   a checkout of another version with its build/squelch: both are
                   measured alternately, its console included
  --json           figures as JSON on standard output
  --help           this

It takes about 20 minutes. A connection is new in each run, so its first seconds are
those in which a sender learns what is lost; "after 3 s" leaves them out.`;

const flags = {
  only: { type: "string" },
  rounds: { type: "string", default: "10" },
  repeats: { type: "string", default: "5" },
  seconds: { type: "string", default: "7" },
  bursts: { type: "string", default: "20" },
  outages: { type: "string", default: "3" },
  seed: { type: "string", default: "1" },
  first: { type: "string" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
};

const given = read();
const number = (name, least) => {
  const n = Number(given[name]);
  if (!Number.isInteger(n) || n < least) fail(`--${name}: "${given[name]}" is no whole number of at least ${least}`);
  return n;
};
const o = {
  rounds: number("rounds", 1),
  repeats: number("repeats", 1),
  seconds: number("seconds", 4),
  bursts: number("bursts", 1),
  outages: number("outages", 1),
  seed: number("seed", 0),
  only: given.only?.split(",") ?? usual,
};
for (const name of o.only) if (!parts.includes(name)) fail(`--only: there is no part "${name}"; there are ${parts.join(", ")}`);
if (!process.env.SQUELCH_BIN) fail("SQUELCH_BIN must name the program to measure");

const { Stage } = await import("./voice/stage.mjs"); // it needs SQUELCH_BIN
const began = performance.now();
const passed = () => Math.round((performance.now() - began) / 1000);
const say = (text) => console.error(`${String(passed()).padStart(5)} s  ${text}`);
const load = [loadavg()[0]];

const stages = {};
const figures = {};
try {
  if (given.first) stages.first = await Stage.open({ checkout: resolve(given.first), program: join(resolve(given.first), "build/squelch") });
  stages.now = await Stage.open();
  for (const version of Object.keys(stages)) figures[version] = { speech: {}, bursts: {}, blocked: {}, dying: {} };
  await measureSpeech();
  if (o.only.includes("bursts")) await measureBursts();
  if (o.only.includes("blocked")) await measureOutage("blocked", blockedAtStart);
  if (o.only.includes("dying")) await measureOutage("dying", diesInSession);
} finally {
  for (const s of Object.values(stages)) await s.close();
}
load.push(loadavg()[0]);
if (given.json) {
  console.log(JSON.stringify({ options: o, load, seconds: passed(), figures }, null, 1));
} else {
  for (const [version, f] of Object.entries(figures)) {
    if (given.first) console.log(version === "first" ? `\n${given.first}` : "\nthis version");
    print(f, o);
  }
  console.log(`\nload average ${load.map((l) => l.toFixed(1)).join(" to ")}, ${passed()} s`);
}
process.exit(0);

async function measureSpeech() {
  const bad = Object.keys(conditions).filter((name) => o.only.includes(name));
  if (bad.length === 0 && !o.only.includes("clean")) return;
  const all = await rounds(stages, bad, { ...o, rounds: o.only.includes("clean") ? Math.max(o.rounds, o.repeats) : o.repeats, say });
  for (const [version, f] of Object.entries(figures))
    for (const name of ["clean", ...bad]) f.speech[name] = summary(all, version, name);
}

async function measureBursts() {
  for (const manner of Object.keys(manners)) {
    for (const held of lengths) {
      for (const [version, stage] of Object.entries(stages)) {
        const { bursts, timers } = await undisturbed(say, async () => ({ bursts: await transmit(stage, { held, count: o.bursts, manner, seed: o.seed + held }) }));
        const s = burstSummary(bursts);
        (figures[version].bursts[manner] ??= {})[held] = { ...s, timers };
        say(`${version}, ${manner}: ${s.count} bursts of ${held} ms: ${s.missing} missing, first ${s.first.median.toFixed(3)} (${s.first.least.toFixed(3)}), last ${s.last.median.toFixed(3)} (${s.last.least.toFixed(3)}), timers ${timers.toFixed(1)} ms late`);
      }
    }
  }
}

async function measureOutage(part, run) {
  for (let i = 0; i < o.outages; i++) {
    for (const who of ["listener", "talker"]) {
      for (const [version, stage] of Object.entries(stages)) {
        const got = await undisturbed(say, () => run(stage, who, o.seed + i));
        (figures[version][part][who] ??= []).push(got);
        say(`${version}, ${part}, ${who}: ${JSON.stringify(got)}`);
      }
    }
  }
}

function read() {
  let values;
  try {
    ({ values } = parseArgs({ options: flags }));
  } catch (e) {
    fail(e.message);
  }
  if (!values.help) return values;
  console.log(help);
  process.exit(0);
}

function fail(why) {
  console.error(`${why}\n'node bench/voice.mjs --help' explains the flags`);
  process.exit(2);
}
