// Answers on a channel: when a unit has spoken there, it takes the floor and plays a clip.
import { readFile } from "node:fs/promises";
import { opusPackets, packetMs, Squelch, SquelchError } from "@squelch/client";
import { settings } from "./settings.js";

const about = `Answers every unit that speaks on a channel with a clip, or with a tone of the tone list.
The key needs the scopes read and talk, and dispatch for a tone. It answers no dispatchers:
two bots would never stop.`;

const { url, key, channel, clip, seconds, tone } = settings(about, {
  channel: { help: "frequency to answer on" },
  clip: { help: "Ogg Opus file, mono, packets of 20 ms", value: "" },
  seconds: { help: "how much of the clip at most", value: "10" },
  tone: { help: "name of a tone, instead of a clip", value: "" },
});
if (!clip === !tone) {
  console.error("give either --clip or --tone");
  process.exit(2);
}
const most = Number(seconds) * 1000;
if (!(most > 0)) {
  console.error(`--seconds is ${JSON.stringify(seconds)}, expected a number above 0`);
  process.exit(2);
}

const speech = clip ? first(opusPackets(await readFile(clip)), most) : [];
const radio = new Squelch({ url, key });
const link = await radio.connect();
let answering = false;

link.on("talkingState", (t) => {
  if (t.state || answering || t.serverId < 0 || Number(t.frequency) !== Number(channel)) return;
  answering = true;
  void answer(t.serverId).finally(() => (answering = false));
});
link.on("closed", (why) => {
  console.error(String(why));
  process.exit(1);
});

await link.emit("setSpeakerChannel", channel);
console.log(`answering on ${channel}`);

async function answer(caller: number): Promise<void> {
  try {
    if (tone) {
      await radio.rest("POST /api/play-tone", { body: { frequency: channel, tone } });
      console.log(`answered unit ${caller} with ${tone}`);
    } else {
      const sent = await link.speak(channel, speech);
      console.log(`answered unit ${caller} with ${sent} of ${speech.length} packets`);
    }
  } catch (e) {
    if (!(e instanceof SquelchError)) throw e;
    console.log(`not answered: ${e.refusal}`); // somebody else was faster; the next call comes
  }
}

function first(packets: Uint8Array[], ms: number): Uint8Array[] {
  let length = 0;
  return packets.filter((p) => (length += packetMs(p)) <= ms);
}
