// "squelch theme test" runs these tests on a simulated radio, without a browser. The
// theme is started anew for each; deeds are those of scenarios (panel/SCENARIOS.md).

test("whoever talks is named", async ({ radio, page, check }) => {
  check.equal(page.text(".on-air"), "Nobody talks", "it begins in silence");
  await radio.do({ do: "talk", unit: 12, for: 3 });
  check(page.text(".on-air").includes("on LSPD DISP"), "the talker and the channel are named");
  await radio.wait(5);
  check.equal(page.text(".on-air"), "Nobody talks", "nobody talks any more");
});

test("a lost link is shown", async ({ radio, page, check }) => {
  await radio.do({ do: "link", down: 10 });
  await radio.wait(1);
  check(page.classes.includes("faded"), "the channels are faded");
  await radio.wait(15);
  check(!page.classes.includes("faded"), "and come back");
});
