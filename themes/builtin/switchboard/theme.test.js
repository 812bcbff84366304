// squelch theme test themes/builtin/switchboard
// The radio is the demo's: this console speaks on LSPD DISP and monitors four more channels.

const at = (radio, name) => radio.state().zones.flatMap((z) => z.channels).find((c) => c.name === name).frequency;
const line = (radio, name) => `.sb-line[data-id="${at(radio, name)}"]`;

test("replaces the console with a line for every channel", async ({ radio, page, check }) => {
  check(page.hidden, "the default UI is hidden");
  check.equal(page.classes, ["switchboard"], "classes");
  check.equal(page.findAll(".sb-line").length, radio.state().zones.flatMap((z) => z.channels).length, "lines");
  check.equal(page.text(`${line(radio, "LSPD DISP")} .sb-name`), "LSPD DISP", "name of the first");
  check.equal(page.find(line(radio, "LSPD DISP")).getAttribute("data-here"), "true", "where the console speaks");
});

test("says who talks, and whether it is heard", async ({ radio, page, check }) => {
  await radio.do({ do: "talk", unit: 12, for: 6 });
  await radio.wait(3);
  const rx = line(radio, "LSPD DISP");
  check.equal(page.find(rx).getAttribute("data-face"), "rx", "LSPD DISP");
  check.equal(page.text(`${rx} .sb-who`), radio.state().transmissions[0].name, "who talks");
  check.equal(page.text(`${rx} time`), "0:03", "for how long");
  check.equal(page.find(".sb-entry").getAttribute("data-face"), "rx", "the newest line of the log");
  await radio.wait(4);
  check.equal(page.find(rx).getAttribute("data-face"), "idle", "afterwards");
  // Nobody monitors LSPD TRUNK here.
  await radio.do({ do: "join", unit: 12, channel: "LSPD TRUNK" });
  await radio.do({ do: "talk", unit: 12, for: 3 });
  check.equal(page.find(line(radio, "LSPD TRUNK")).getAttribute("data-face"), "off", "LSPD TRUNK");
});

test("talks as long as a key is held", async ({ radio, page, check }) => {
  const fire = line(radio, "FIRE DISP");
  page.press(`${fire} .sb-talk`);
  await radio.wait(1);
  check.equal(page.find(fire).getAttribute("data-face"), "tx", "held");
  page.release(`${fire} .sb-talk`);
  await radio.wait(1);
  check.equal(page.find(fire).getAttribute("data-face"), "idle", "released");
  check.equal(page.actions.filter((a) => /PTT/.test(a)).length, 2, "one press, one release");
});

test("monitors, and speaks elsewhere", async ({ radio, page, check }) => {
  const fire = at(radio, "FIRE DISP");
  page.click(`${line(radio, "FIRE DISP")} .sb-monitor`);
  await radio.wait(1);
  check(!radio.state().scannedChannels.includes(fire), "FIRE DISP is monitored no more");
  page.click(`${line(radio, "FIRE DISP")} .sb-monitor`);
  await radio.wait(1);
  check(radio.state().scannedChannels.includes(fire), "and again");
  page.click(`${line(radio, "FIRE DISP")} .sb-here`);
  await radio.wait(1);
  check.equal(radio.state().channel, fire, "the channel spoken on");
});

test("an emergency takes the line until it is closed", async ({ radio, page, check }) => {
  await radio.do({ do: "panic", unit: 14 });
  const [emergency] = radio.state().emergencies;
  const red = `.sb-line[data-id="${emergency.frequency}"]`;
  check.equal(page.find(red).getAttribute("data-face"), "em", "raised");
  check.equal(page.text(`${red} .sb-who`), emergency.name, "whose it is");
  await radio.do({ do: "acknowledge", unit: -2, who: 14 });
  await radio.wait(1);
  check.equal(page.find(red).getAttribute("data-face"), "ack", "acknowledged");
  await radio.do({ do: "calm", unit: 14 });
  await radio.do({ do: "close", unit: -2, who: 14 });
  await radio.wait(1);
  check(!["em", "ack", "ended"].includes(page.find(red).getAttribute("data-face")), "closed");
});

test("raises an alert and clears it", async ({ radio, page, check }) => {
  const bcso = line(radio, "BCSO DISP");
  page.click(`${bcso} .sb-name`);
  await radio.wait(1);
  page.click(`.sb-desk [data-id="SIGNAL 3"]`);
  await radio.wait(1);
  check.equal(radio.state().activeAlerts[at(radio, "BCSO DISP")], "SIGNAL 3", "the alert");
  check.equal(page.find(bcso).getAttribute("data-face"), "alert", "on its line");
  page.click(`${bcso} .sb-clear`);
  await radio.wait(1);
  check.equal(radio.state().activeAlerts, {}, "alerts after Clear");
});

test("patches the channels that are picked, and ends the patch", async ({ radio, page, check }) => {
  page.click(".sb-connect .sb-row .sb-row button");
  page.click(`${line(radio, "BCSO DISP")} .sb-name`);
  page.click(`${line(radio, "LSPD TAC 1")} .sb-name`);
  page.click(".sb-connect .sb-row .sb-row button");
  await radio.wait(1);
  check.equal(radio.state().patches.map((x) => [...x.frequencies].sort()), [[at(radio, "BCSO DISP"), at(radio, "LSPD TAC 1")].sort()], "patches");
  check.equal(page.findAll(".sb-connect [data-id]").length, 1 + radio.state().announcementGroups.length, "patches and groups shown");
  page.click(".sb-connect .sb-link button");
  await radio.wait(1);
  check.equal(radio.state().patches, [], "patches after End");
});

test("a unit is disconnected by the second press only", async ({ radio, page, check }) => {
  page.click(`.sb-units [data-id="12"] button`);
  page.click(".sb-kick");
  await radio.wait(1);
  check(!page.actions.some((a) => a.startsWith("kickUser")), "nothing happens at the first press");
  page.click(".sb-kick");
  await radio.wait(1);
  check.equal(page.actions.filter((a) => a.startsWith("kickUser")), ["kickUser(12)"], "the second");
});

test("a lost link is shown as what it is", async ({ radio, page, check }) => {
  await radio.do({ do: "link", down: 60 });
  await radio.wait(30);
  check.equal(radio.state().health, "disconnected", "health");
  check(page.findAll(".sb-line").every((e) => e.getAttribute("data-face") === "link"), "every line says so");
});
