import { expect, test } from "vitest";
import demoRadio from "./radio.gen.json";
import { testCore } from "./core.testing";
import { isJournal, Playback, readJournal } from "./playback";
import { Radio } from "./radio";

const began = 1_700_000_000_000;

/** A journal as "serve --journal" writes it, of a unit that calls. */
async function written(): Promise<string> {
  const core = await testCore();
  const start = `{"config":${JSON.stringify(demoRadio)}}`;
  await core.call("new", `{"start":${start}}`);
  const by = { user: 7, surface: "socketio" };
  const orders = [
    { at: began, by, command: "Connect", args: { Want: 7, Facts: { Nac: "LSPD" } } },
    { at: began + 1_000, by, command: "JoinAsSpeaker", args: { User: 7, Frequency: "154.755" } },
    { at: began + 2_000, by, command: "KeyUp", args: { User: 7 } },
    { at: began + 2_500 },
    { at: began + 4_000, by, command: "KeyDown", args: { User: 7 } },
  ].map((o) => JSON.stringify(o));
  for (const o of orders) await core.call("command", o);
  const { state, config } = await core.hash();
  return [`{"squelch":"journal","version":1,"build":"a \\"start\\": of it","start":${start}}`, ...orders,
    JSON.stringify({ end: true, orders: orders.length, state, config }), ""].join("\n");
}

async function play(text: string): Promise<Playback> {
  const journal = readJournal(text, "shift.jsonl");
  const radio: Radio = new Radio(await testCore(), { message: () => {}, routes: () => {}, passed: () => {}, failed: (p) => expect.fail(p) }, () => -1);
  const playback = new Playback(journal, radio);
  await radio.turn(() => radio.begin(journal.start, Playback.begin(journal), async () => playback));
  radio.clock.jump(began + 3_600_000);
  await radio.turn(async () => undefined);
  return playback;
}

test("a played journal ends in the state of the radio that wrote it", async () => {
  const text = await written();
  expect(isJournal(text)).toBe(true);
  const p = await play(text);
  expect(p.over()).toBe(true);
  const { playback } = p.show();
  expect(playback).toMatchObject({ name: "shift.jsonl", orders: 5, of: 5, same: true });
  expect(text).toContain(`"state":"${playback!.hash}"`);
});

test("another key-up gives another state", async () => {
  const p = await play((await written()).replace('"command":"KeyDown"', '"command":"LeaveChannel"'));
  expect(p.show().playback).toMatchObject({ same: false });
});

test("a journal of a service that was killed is played as far as it goes", async () => {
  const whole = await written();
  const p = await play(whole.slice(0, whole.indexOf('{"end"') - 20));
  expect(p.show().playback).toMatchObject({ orders: 4, same: null });
});

test("an invalid or broken journal is refused with its line", async () => {
  const text = await written();
  expect(isJournal('{"name":"A scenario"}')).toBe(false);
  for (const [broken, says] of [
    [text.replace('"version":1', '"version":2'), "line 1: the journal has version 2"],
    [text.replace('"command":"KeyUp"', '"command":"KeyUp'), "line 4: "],
    [text.replace('{"at":1700000002500}\n', ""), "line 6: the journal had 5 steps; this file has 4"],
    [text.replace('{"at":1700000002500}', '{"when":1}'), "line 5: at is missing"],
  ] as const) {
    expect(() => readJournal(broken, "x"), says).toThrow(says);
  }
});
