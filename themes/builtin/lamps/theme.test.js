// squelch theme test themes/builtin/lamps
// The radio is the demo's: this console speaks on LSPD DISP and monitors four more channels.

const at = (radio, name) => radio.state().zones.flatMap((z) => z.channels).find((c) => c.name === name).frequency;
const lamp = (page, name) => page.findAll(".lamps-key").find((e) => e.textContent === name);

test("adds a lamp for every channel, and hides nothing", async ({ radio, page, check }) => {
  check(!page.hidden, "the default UI is there");
  const names = radio.state().zones.flatMap((z) => z.channels).map((c) => c.name);
  check.equal(page.findAll(".lamps-key").map((e) => e.textContent), names, "lamps, in the operator's order");
});

test("a lamp lights while somebody talks", async ({ radio, page, check }) => {
  await radio.do({ do: "talk", unit: 12, for: 3 });
  check.equal(lamp(page, "LSPD DISP").getAttribute("data-face"), "rx", "lit");
  await radio.wait(4);
  check.equal(lamp(page, "LSPD DISP").getAttribute("data-face"), "idle", "out");
});

test("its key monitors the channel, or stops doing so", async ({ radio, page, check }) => {
  const n = radio.state().zones.flatMap((z) => z.channels).findIndex((c) => c.name === "FIRE DISP") + 1;
  const key = `.lamps li:nth-child(${n}) button`;
  page.click(key);
  await radio.wait(1);
  check(!radio.state().scannedChannels.includes(at(radio, "FIRE DISP")), "not monitored any more");
  check.equal(page.find(key).getAttribute("aria-pressed"), "false", "the key says so");
  page.click(key);
  await radio.wait(1);
  check(radio.state().scannedChannels.includes(at(radio, "FIRE DISP")), "monitored again");
});

test("an emergency is on its lamp until it is closed", async ({ radio, page, check }) => {
  await radio.do({ do: "panic", unit: 14 });
  const [{ frequency }] = radio.state().emergencies;
  const { name } = radio.state().zones.flatMap((z) => z.channels).find((c) => c.frequency === frequency);
  check.equal(lamp(page, name).getAttribute("data-face"), "em", "raised");
  await radio.do({ do: "acknowledge", unit: -2, who: 14 });
  await radio.wait(1);
  check.equal(lamp(page, name).getAttribute("data-face"), "ack", "acknowledged");
});

test("the lamp test lights all lamps as long as it is held", async ({ page, check }) => {
  page.press(".lamps-test");
  check.equal(page.classes, ["lamps", "lamp-test"], "held");
  page.release(".lamps-test");
  check.equal(page.classes, ["lamps"], "released");
});
