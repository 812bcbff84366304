// Consoles with ears: what a page plays and what its microphone sends, as envelopes that
// can be compared.
import assert from "node:assert/strict";
import { Desk } from "./browser.mjs";
import { nacId } from "./service.mjs";
import { passes } from "./wait.mjs";
import { aligned, bursts, correlation, energy } from "./voice/envelope.mjs";

/**
 * In the page, before its scripts: what arrives, what leads to the loudspeaker and
 * what goes to the service can be recorded.
 */
function ears() {
  const connect = AudioNode.prototype.connect;
  const ends = [];
  const sources = [];
  let sent = null;
  const Worklet = window.AudioWorkletNode;
  window.AudioWorkletNode = class extends Worklet {
    constructor(context, name, options) {
      super(context, name, options);
      if (name === "squelch-meter") sources.push(this); // the first is the microphone's
    }
  };
  AudioNode.prototype.connect = function (to, ...more) {
    if (to instanceof AudioDestinationNode) ends.push(this);
    if (to instanceof MediaStreamAudioDestinationNode) sent = this;
    return connect.call(this, to, ...more);
  };
  let recorders = {};
  /** RMS per 10 ms of the left channel. */
  const record = (node) => {
    const tap = new Worklet(node.context, "squelch-capture");
    const heard = [];
    tap.port.onmessage = ({ data }) => {
      const step = node.context.sampleRate / 100;
      for (let at = 0; at + step <= data.length; at += step) {
        let sum = 0;
        for (let i = at; i < at + step; i++) sum += data[i] ** 2;
        heard.push(Math.sqrt(sum / step));
      }
    };
    tap.port.postMessage(true);
    connect.call(node, tap);
    connect.call(tap, node.context.destination);
    return { tap, node, heard };
  };
  const stop = ({ tap, node, heard }) => {
    node.disconnect(tap);
    tap.disconnect();
    return heard;
  };
  const energy = (e) => e.reduce((sum, v) => sum + v * v, 0);
  window.record = () => {
    const [selected, unselected] = ends.map(record); // in the order in which the mixer makes them
    recorders = { selected, unselected, sent: record(sent), sources: sources.slice(1).map(record) };
  };
  /** Whether something has arrived since record, and nothing more does: silence for longer than any breath between two words. */
  window.heardOut = () => {
    const quiet = recorders.sources.map(({ heard }) => heard.length - heard.findLastIndex((v) => v >= 0.002));
    return recorders.sources.some(({ heard }, i) => quiet[i] <= heard.length) && quiet.every((n) => n > 40);
  };
  /** How much has been recorded, ms. */
  window.length_ = () => recorders.selected.heard.length * 10;
  /** The loudest source has been recorded. */
  window.recorded = () => {
    const arrived = recorders.sources.map(stop).reduce((a, b) => (energy(b) > energy(a) ? b : a), []);
    return { arrived, selected: stop(recorders.selected), unselected: stop(recorders.unselected), sent: stop(recorders.sent) };
  };
}

/** A desk whose page has ears. */
export async function open(browser, service, callsign, plane = "Voice: direct", before = () => undefined) {
  const desk = await Desk.open(browser, service, null, {}, async (page) => {
    before(page);
    await page.addInitScript(ears);
    if (plane !== "Voice: direct") await page.addInitScript(() => Reflect.deleteProperty(globalThis, "RTCPeerConnection"));
  });
  await desk.page.getByLabel("Access code (NAC ID)").fill(nacId);
  await desk.page.getByLabel("Callsign").fill(callsign);
  await desk.button("Sign in").click();
  await desk.page.locator("[data-part=voice]", { hasText: plane }).waitFor();
  await desk.page.locator("[data-part=voice-status]", { hasText: "LISTENING" }).waitFor();
  return desk;
}

/** record begins on several desks. */
export const record = (...desks) => Promise.all(desks.map((d) => d.page.evaluate(() => void window.record())));
export const recorded = (desk) => desk.page.evaluate(() => window.recorded());

/** say talks on the channel that the desk speaks on, and returns what its microphone sent. */
export async function say(desk, ms) {
  await record(desk);
  await desk.page.keyboard.down("F2");
  await desk.ptt("TX");
  await passes(ms, "how long the key is held");
  await desk.page.keyboard.up("F2");
  await desk.ptt("IDLE");
  const { sent } = await recorded(desk);
  const said = bursts(sent);
  assert.equal(said.length, 1, "one burst was said");
  return sent.slice(...said[0]);
}

/** voice is the loud part of a recording, from its first syllable to its last. */
export function voice(envelope) {
  const loud = (v) => v > 0.01;
  return envelope.slice(envelope.findIndex(loud), envelope.findLastIndex(loud) + 1);
}

/** smooth averages an envelope over 30 ms: two taps of one graph may be half a pitch period apart. */
function smooth(envelope) {
  return envelope.slice(2).map((_, i) => Math.hypot(envelope[i], envelope[i + 1], envelope[i + 2]) / Math.sqrt(3));
}

/** fits finds what was said in what was heard. */
export function fits(t, what, said, heard, from = 0) {
  [said, heard] = [smooth(said), smooth(heard)];
  const found = aligned(said, heard, from, heard.length);
  const fit = correlation(said, found.heard);
  t.diagnostic(`${what}: fit ${fit.toFixed(3)}, ${(10 * Math.log10(energy(found.heard) / energy(said))).toFixed(1)} dB`);
  assert.ok(fit > 0.9, `${what}: envelopes fit ${fit.toFixed(3)}, want above 0.9`);
  return { power: energy(found.heard) / energy(said), lag: found.lag };
}
