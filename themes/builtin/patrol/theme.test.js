// squelch theme test themes/builtin/patrol
// The radio is the demo's: this console speaks on LSPD DISP and monitors four more channels.

const names = (radio) => radio.state().zones.flatMap((z) => z.channels).filter((c) => c.canTransmit).map((c) => c.name);
const at = (radio, name) => radio.state().zones.flatMap((z) => z.channels).find((c) => c.name === name).frequency;
const face = (page) => page.find(".car").getAttribute("data-face");

test("shows the channel spoken on", async ({ page, check }) => {
  check(page.hidden, "the default UI is hidden");
  check.equal(page.text(".car-name"), "LSPD DISP", "name");
  check.equal(face(page), "idle", "face");
});

test("steps to the next channel and the one before, and around the end", async ({ radio, page, check }) => {
  const all = names(radio);
  page.click(".car-after");
  await radio.wait(1);
  check.equal(page.text(".car-name"), all[1], "next");
  page.click(".car-before");
  page.click(".car-before");
  await radio.wait(1);
  check.equal(page.text(".car-name"), all[all.length - 1], "two back");
});

test("keeps listening to a channel that it leaves, if asked to", async ({ radio, page, check }) => {
  const main = at(radio, "LSPD DISP");
  page.click(".car-listen");
  page.click(".car-after");
  await radio.wait(1);
  check(radio.state().scannedChannels.includes(main), "LSPD DISP is monitored");
});

test("shows who talks elsewhere, and goes there to answer", async ({ radio, page, check }) => {
  await radio.do({ do: "talk", unit: 31, for: 10 });
  check.equal(page.text(".car-elsewhere"), `▶ BCSO DISP: ${radio.state().transmissions[0].name}`, "what is heard elsewhere");
  page.click(".car-elsewhere");
  await radio.wait(1);
  check.equal(page.text(".car-name"), "BCSO DISP", "where it goes");
  check.equal(face(page), "rx", "what is heard there");
});

test("an emergency on the channel takes the display", async ({ radio, page, check }) => {
  await radio.do({ do: "panic", unit: 14 });
  const [emergency] = radio.state().emergencies;
  for (let i = 0; radio.state().channel !== emergency.frequency && i < names(radio).length; i++) {
    page.click(".car-after");
    await radio.wait(1);
  }
  check.equal(face(page), "em", "raised");
  check.equal(page.text(".car-who"), emergency.name, "whose it is");
  await radio.do({ do: "acknowledge", unit: -2, who: 14 });
  await radio.wait(1);
  check.equal(face(page), "ack", "acknowledged");
});

test("a lost link is shown as what it is", async ({ radio, page, check }) => {
  await radio.do({ do: "link", down: 60 });
  await radio.wait(30);
  check.equal(face(page), "link", "face");
});
