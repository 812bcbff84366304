// Firefox at the panel of the running service: it logs in, and voice goes both ways
// over WebRTC. Beside it is a console in Chromium, and everything is measured at
// Firefox's own sound card.
import assert from "node:assert/strict";
import test from "node:test";
import { SoundCard } from "./firefox/card.mjs";
import { FirefoxDesk, startFirefox } from "./firefox/desk.mjs";
import { again } from "./voice/again.mjs";
import { Console } from "./voice/console.mjs";
import { aligned, bursts, correlation } from "./voice/envelope.mjs";
import { browser, folder, nacId, page, Service } from "./voice/service.mjs";
import { passes } from "./wait.mjs";

const patrol = "154.755";
const fire = "154.28";
/** How long after it was said something is heard at the latest, in 10 ms: two sound cards and a jitter buffer. */
const late = 80;
/** Echo cancellation, gain control and the channel's effects leave an envelope at least this similar; another stretch of speech is below 0.6. */
const likeness = 0.75;

/** Compares what was said between two moments, in 10 ms, with what was heard soon after. */
function wantHeard(t, who, said, heard, from, to) {
  const stretch = said.slice(from, to);
  assert.ok(stretch.length >= 100, `${who}: ${stretch.length * 10} ms were said`);
  const fit = correlation(stretch, aligned(stretch, heard, from - 20, from + late).heard);
  // The same measure must tell other words apart, or it would prove nothing.
  const other = said.slice(from - stretch.length - late, from - late);
  const control = correlation(other, aligned(other, heard, from - 20, from + late).heard);
  t.diagnostic(`${who}: ${stretch.length * 10} ms, fit ${fit.toFixed(3)}; other words ${control.toFixed(3)}`);
  assert.ok(fit > likeness, `${who}: envelopes fit ${fit.toFixed(3)}, want above ${likeness}`);
  assert.ok(control < fit - 0.05, `${who}: other words fit as well (${control.toFixed(3)})`);
}

test("Firefox", async (t) => {
  const dir = folder(t);
  const card = await SoundCard.start(t);
  const [service, site, chrome, firefox] = await Promise.all([Service.start(t, dir, "\nConfig.recording = { all = true }\n"), page(t, dir), browser(t, dir), startFirefox(t, card)]);
  const context = await chrome.newContext();
  const colleague = await Console.open(context, { url: service.url, site, callsign: "Boy", id: -12 });
  await colleague.on("webrtc");
  await colleague.emit("setSpeakerChannel", patrol);
  const desk = await FirefoxDesk.open(firefox, service.url);
  card.speak();

  await t.test("it logs in, and voice is connected over WebRTC", async () => {
    await desk.login(nacId, "FOX");
    await desk.reads("voice", "Voice: direct");
    await desk.reads("voice-status", "LISTENING");
    await desk.speakOn("PATROL");
  });

  await t.test("it talks and is heard", (t) =>
    again(t, async () => {
      const epoch = Date.now();
      const said = await card.microphone(epoch);
      await colleague.record(epoch);
      await passes(3000, "the reader says other words, to compare with");
      await desk.page.keyboard.down("F2");
      await desk.ptt("TX");
      const from = Math.round((Date.now() - epoch) / 10) + 10;
      await passes(2500, "how long the key is held");
      const to = Math.round((Date.now() - epoch) / 10) - 10;
      await desk.page.keyboard.up("F2");
      await desk.ptt("IDLE");
      await colleague.hearsOut();
      const heard = await colleague.stop();
      const talker = (await colleague.get("slots")).flatMap((s) => s.slots).at(-1)?.serverId;
      wantHeard(t, "Firefox in Chromium", await said.stop(), heard[await colleague.slotOf(talker)], from, to);
    }),
  );

  await t.test("it hears", (t) =>
    again(t, async () => {
      const epoch = Date.now();
      const heard = await card.loudspeaker(epoch);
      await colleague.record(epoch);
      await colleague.talk(patrol, 2500); // other words, to compare with
      await passes(1000, "the gap that tells two bursts apart");
      await colleague.press(patrol);
      await colleague.reaches("TX");
      await desk.state("PATROL", "rx");
      await passes(2500, "how long the key is held");
      await colleague.release();
      await colleague.givesBack();
      await heard.hearsOut();
      const { sent } = await colleague.stop();
      const [, [from, to]] = bursts(sent);
      wantHeard(t, "Chromium in Firefox's loudspeaker", sent, await heard.stop(), from, to - 10);
    }),
  );

  await t.test("a line of the log is replayed from the server, after a reload that leaves no tape", (t) =>
    again(t, async () => {
      let epoch = Date.now();
      await colleague.record(epoch);
      await colleague.talk(patrol, 2500); // other words, to compare with
      await passes(1000, "the gap that tells two bursts apart");
      await colleague.press(patrol);
      await colleague.reaches("TX");
      await passes(2500, "how long the key is held");
      await colleague.release();
      await colleague.givesBack();
      const { sent } = await colleague.stop();
      await desk.page.reload();
      await desk.reads("voice-status", "LISTENING");
      const key = "[data-part=transmissions] li button.re:enabled";
      await desk.page.waitForSelector(key);
      epoch = Date.now();
      const heard = await card.loudspeaker(epoch);
      await desk.page.locator(key).click();
      await desk.page.waitForSelector("[data-part=waveform]");
      await heard.hearsOut();
      const [, [from, to]] = bursts(sent);
      const stretch = sent.slice(from, to - 10);
      const envelope = await heard.stop();
      const fit = correlation(stretch, aligned(stretch, envelope).heard);
      const [[first, last]] = bursts(sent);
      const other = sent.slice(first, last);
      const control = correlation(other, aligned(other, envelope).heard);
      t.diagnostic(`the replay in Firefox's loudspeaker: ${stretch.length * 10} ms, fit ${fit.toFixed(3)}; other words ${control.toFixed(3)}`);
      assert.ok(fit > likeness, `envelopes fit ${fit.toFixed(3)}, want above ${likeness}`);
      assert.ok(control < fit - 0.05, `other words fit as well (${control.toFixed(3)})`);
    }),
  );

  await t.test("without an audio output it says so, and keys nothing", async (t) => {
    const deaf = await FirefoxDesk.open(await startFirefox(t, null), service.url);
    await deaf.login(nacId, "WOLF");
    await deaf.reads("voice", "MUTED");
    await deaf.reads("sound-off", "audio output");
    await deaf.speakOn("FIRE");
    let keyed = 0;
    await colleague.tab.exposeFunction("keyed", () => keyed++);
    await colleague.tab.evaluate((f) => window.station.socket.on("talkingState", (s) => s.frequency === f && window.keyed()), fire);
    await colleague.emit("addListeningChannel", fire);
    await deaf.page.keyboard.down("F2");
    await deaf.reads("ptt-line", "Not on the air");
    await deaf.ptt("IDLE");
    await deaf.page.keyboard.up("F2");
    await colleague.emit("removeListeningChannel", fire); // after it, everything that was said there would have come
    assert.equal(keyed, 0);
  });

  await t.test("no errors in the browser", () => assert.deepEqual([...desk.complaints, ...colleague.errors], []));
});
