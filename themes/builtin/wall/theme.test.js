// squelch theme test themes/builtin/wall
// The radio is the demo's: this console speaks on LSPD DISP and monitors four more channels.

const at = (radio, name) => radio.state().zones.flatMap((z) => z.channels).find((c) => c.name === name).frequency;
const tile = (radio, name) => `.wall-tile[data-id="${at(radio, name)}"]`;
const face = (page, selector) => page.find(selector).getAttribute("data-face");

test("shows every channel as a tile", async ({ radio, page, check }) => {
  check(page.hidden, "the default UI is hidden");
  const names = radio.state().zones.flatMap((z) => z.channels).map((c) => c.name);
  check.equal(page.findAll(".wall-name").map((e) => e.textContent), names, "names, in the operator's order");
});

test("says who talks, and for how long", async ({ radio, page, check }) => {
  await radio.do({ do: "talk", unit: 12, for: 6 });
  await radio.wait(3);
  check.equal(face(page, tile(radio, "LSPD DISP")), "rx", "LSPD DISP");
  check.equal(page.text(`${tile(radio, "LSPD DISP")} .wall-who`), radio.state().transmissions[0].name, "who talks");
  check.equal(page.text(`${tile(radio, "LSPD DISP")} time`), "0:03", "for how long");
});

test("an emergency takes its tile until it is closed", async ({ radio, page, check }) => {
  await radio.do({ do: "panic", unit: 14 });
  const [emergency] = radio.state().emergencies;
  const red = `.wall-tile[data-id="${emergency.frequency}"]`;
  check.equal(face(page, red), "em", "raised");
  check.equal(page.text(`${red} .wall-who`), emergency.name, "whose it is");
  await radio.do({ do: "acknowledge", unit: -2, who: 14 });
  await radio.wait(1);
  check.equal(face(page, red), "ack", "acknowledged");
  await radio.do({ do: "close", unit: -2, who: 14 });
  await radio.wait(1);
  check(!["em", "ack", "ended"].includes(face(page, red)), "closed");
});

test("an emergency that ends by itself stays until somebody acknowledges it", async ({ radio, page, check }) => {
  await radio.do({ do: "panic", unit: 14 });
  const red = `.wall-tile[data-id="${radio.state().emergencies[0].frequency}"]`;
  await radio.do({ do: "calm", unit: 14 });
  check.equal(face(page, red), "ended", "ended");
  await radio.do({ do: "acknowledge", unit: -2, who: 14 });
  await radio.wait(1);
  check(!["em", "ack", "ended"].includes(face(page, red)), "acknowledged");
});

test("an alert is shown until somebody talks", async ({ radio, page, check }) => {
  await radio.do({ do: "alert", alert: "SIGNAL 3", channel: "LSPD DISP" });
  check.equal(page.text(`${tile(radio, "LSPD DISP")} .wall-who`), "◆ SIGNAL 3", "the alert");
  await radio.do({ do: "talk", unit: 12, for: 2 });
  check.equal(face(page, tile(radio, "LSPD DISP")), "rx", "the talk");
});

test("talks, monitors and speaks elsewhere with the keys of a tile", async ({ radio, page, check }) => {
  const fire = tile(radio, "FIRE DISP");
  page.press(`${fire} .wall-keys button`);
  await radio.wait(1);
  check.equal(face(page, fire), "tx", "held");
  page.release(`${fire} .wall-keys button`);
  await radio.wait(1);
  check.equal(face(page, fire), "idle", "released");
  page.click(`${fire} .wall-keys button:nth-child(2)`);
  await radio.wait(1);
  check(!radio.state().scannedChannels.includes(at(radio, "FIRE DISP")), "not monitored any more");
  page.click(`${fire} .wall-keys button:nth-child(3)`);
  await radio.wait(1);
  check.equal(radio.state().channel, at(radio, "FIRE DISP"), "the channel spoken on");
});

test("a lost link is on every tile", async ({ radio, page, check }) => {
  await radio.do({ do: "link", down: 60 });
  await radio.wait(30);
  check(page.findAll(".wall-tile").every((e) => e.getAttribute("data-face") === "link"), "tiles");
  check.equal(page.find(".wall-link").getAttribute("data-health"), "disconnected", "the line above");
});
