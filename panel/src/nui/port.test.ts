import { expect, it } from "vitest";
import { OrderedPort } from "./port";

/** A game that answers when it is told to. */
function game() {
  const sent: string[] = [];
  const waiting = new Map<string, (fails?: boolean) => void>();
  const port = new OrderedPort((name, data) => {
    const what = `${name} ${JSON.stringify(data)}`;
    sent.push(what);
    return new Promise((done, fail) => waiting.set(what, (fails) => (fails ? fail(new Error("no such callback")) : done({ ok: true }))));
  });
  const answers = async (what: string, fails?: boolean): Promise<void> => {
    waiting.get(what)!(fails);
    await new Promise((done) => setTimeout(done));
  };
  return { port, sent, answers };
}
const settled = (): Promise<void> => new Promise((done) => setTimeout(done));

it("brings events to Lua one after the other, also when one fails", async () => {
  const { port, sent, answers } = game();
  void port.post("mic", { state: "asking" });
  void port.post("mic", { state: "ready" });
  await settled();
  expect(sent).toEqual(['mic {"state":"asking"}']);
  await answers('mic {"state":"asking"}', true);
  expect(sent).toEqual(['mic {"state":"asking"}', 'mic {"state":"ready"}']);
});

it("brings buttons to Lua in their order: a release must not overtake its key-up", async () => {
  const { port, sent, answers } = game();
  void port.post("ui", { action: "ptt_down" });
  void port.post("ui", { action: "ptt_up" });
  await settled();
  expect(sent).toEqual(['ui {"action":"ptt_down"}']);
  await answers('ui {"action":"ptt_down"}');
  expect(sent).toEqual(['ui {"action":"ptt_down"}', 'ui {"action":"ptt_up"}']);
});

it("lets no button and no offer wait for events", async () => {
  const { port, sent } = game();
  void port.post("mic", { state: "asking" });
  void port.post("ui", { action: "emergency" });
  void port.post("offer", { id: 1, sdp: "v=0" });
  await settled();
  expect(sent).toHaveLength(3);
});
