// Voice from one legacy client to another.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";

const opus = (n) => Buffer.concat([Buffer.from([0xf8, n]), randomBytes(60)]).toString("base64");

export async function voiceArrivesByteIdentical(radio) {
  const talker = await radio.tuned(await radio.player(11), "154.755");
  const near = await radio.tuned(await radio.player(12), "154.755");
  const scanner = await radio.dispatcher(-1);
  await scanner.must("addListeningChannel", "154.755");
  await talker.must("setTalking", true);
  const sent = Array.from({ length: 50 }, (_, n) => opus(n));
  for (const data of sent) talker.emit("voice", { data, serverId: 999, frequency: "460.25" });
  for (const data of sent) {
    assert.deepEqual(await near.next("voice"), { serverId: 11, frequency: "154.755", data, receiveType: "speaker" });
    assert.deepEqual(await scanner.next("voice"), { serverId: 11, frequency: "154.755", data, receiveType: "listener" });
  }
  await talker.upToDate();
  assert.equal(talker.all("voice").length, 0, "nobody hears itself");
}

export async function loopbackHearsItself(radio) {
  const one = await radio.tuned(await radio.player(21), "154.755");
  await one.must("loopback", { enabled: true });
  await one.must("setTalking", true);
  one.emit("voice", { data: "bWU=" });
  await one.next("voice", { serverId: 21, receiveType: "loopback", data: "bWU=" });
}

export async function webmBlobsOfLegacyClients(radio) {
  const blob = Buffer.concat([Buffer.from("1a45dfa39f4286810142f7810142f2810442f381084282847765626d", "hex"), randomBytes(4800)]).toString("base64");
  const talker = await radio.tuned(await radio.dispatcher(-1), "154.755");
  const analog = await radio.tuned(await radio.dispatcher(-2), "154.755");
  const digital = await radio.tuned(await radio.dispatcher(-3), "463.000");
  await talker.must("setTalking", { state: true, frequency: "154.755" });
  talker.emit("voice", { data: blob });
  assert.equal((await analog.next("voice")).data, blob);
  await talker.must("setTalking", { state: false });
  await talker.must("setTalking", { state: true, frequency: "463" });
  talker.emit("voice", { data: blob, frequency: "463.000" });
  await talker.upToDate();
  await digital.upToDate();
  assert.equal(digital.all("voice").length, 0, "no WebM on a digital channel");
}

export async function voiceWithoutTheFloorIsDropped(radio) {
  const mute = await radio.tuned(await radio.player(31), "154.755");
  const near = await radio.tuned(await radio.player(32), "154.755");
  await mute.must("voice", { data: "bm9ib2R5IGhlYXJz" });
  await mute.next("talkingState", { serverId: 31, state: false });
  await near.upToDate();
  assert.equal(near.all("voice").length, 0);
}

export async function voiceThatIsTooLarge(radio) {
  const talker = await radio.tuned(await radio.dispatcher(-1), "154.755");
  const near = await radio.tuned(await radio.player(42), "154.755");
  await talker.must("setTalking", true);
  assert.equal((await talker.ask("voice", { data: "A".repeat((64 << 10) + 4) })).success, false);
  for (const wrong of [{}, { data: "" }, { data: 7 }, "text", null, [], { data: "QQ==", frequency: {} }]) {
    assert.equal((await talker.ask("voice", wrong)).success, false, JSON.stringify(wrong));
  }
  talker.emit("voice", { data: "QUJD" });
  await near.next("voice", { data: "QUJD" });
  assert.equal(near.all("voice").length, 1);
}

export async function severalTalksOfOneConsole(radio) {
  const desk = await radio.tuned(await radio.dispatcher(-1), "154.755");
  const one = await radio.tuned(await radio.player(51), "154.755");
  const two = await radio.tuned(await radio.player(52), "460.25");
  for (const frequency of ["154.755", "460.25"]) await desk.must("setTalking", { state: true, frequency });
  desk.emit("voice", { data: "dHVuZWQ=" }).emit("voice", { data: "b3RoZXI=", frequency: "460.250" });
  await one.next("voice", { frequency: "154.755", data: "dHVuZWQ=" });
  await two.next("voice", { frequency: "460.25", data: "b3RoZXI=" });
  await desk.must("setTalking", false);
  for (const unit of [one, two]) await unit.next("talkingState", { serverId: -1, state: false });
  assert.deepEqual([one.all("voice").length, two.all("voice").length], [1, 1]);
}
