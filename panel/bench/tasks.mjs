// Ten things that a dispatcher does all day: how many clicks and keys each takes, and
// how long, by script. With a checkout of another version of the console and its
// program, both are measured in one run:
//   SQUELCH_BIN=… node bench/tasks.mjs
//   SQUELCH_BIN=… node bench/tasks.mjs --first /path/to/squelch   (the program with the first console)
// Exits with 1 if a task takes more inputs than before, or the first transmission over 4.
import { startBrowser } from "../e2e/browser.mjs";
import { Radio } from "../e2e/radio.mjs";
import { nacId, Service } from "../e2e/service.mjs";
import { until } from "../e2e/wait.mjs";

/** Counts what a dispatcher's hands do. A typed text counts as one key per character. */
class Hands {
  clicks = 0;
  keys = 0;

  constructor(page) {
    this.page = page;
  }

  async click(locator) {
    this.clicks++;
    await locator.click();
  }

  async drag(from, to) {
    this.clicks++;
    await from.dragTo(to);
  }

  async key(name) {
    this.keys++;
    await this.page.keyboard.press(name);
  }

  async down(name) {
    this.keys++;
    await this.page.keyboard.down(name);
  }

  async type(text) {
    this.keys += text.length;
    await this.page.keyboard.type(text);
  }
}

const part = (page, name) => page.locator(`[data-part=${name}]`);
const button = (page, name) => page.getByRole("button", { name, exact: true });
const text = "Stage at Vespucci";

/** Waits until a dialog takes what is typed: it is fetched when it is opened first. */
const focused = (page) => page.locator("dialog :is(textarea, input):focus").waitFor();

/** Where the two consoles have what a task needs. status is the radio as an integration sees it. */
const consoles = {
  first: {
    ready: (page) => part(page, "voice-status").filter({ hasText: "LISTENING" }).waitFor(),
    signIn: { code: "NAC id", callsign: "Callsign" },
    async target(h, name) {
      await h.click(h.page.getByRole("button", { name: `Speak on ${name} ` }));
    },
    monitor: (h, name) => h.click(button(h.page, `Scan ${name}`)),
    async patch(h) {
      await h.click(button(h.page, "New patch"));
      for (const name of ["TAC", "FIRE"]) await h.click(h.page.getByRole("checkbox", { name: new RegExp(`^${name} `) }));
      await h.click(button(h.page, "Patch"));
    },
    async alert(h) {
      await h.click(button(h.page, "More for STATE"));
      await h.click(h.page.getByRole("button", { name: "Raise SIGNAL 100" }).or(button(h.page, "SIGNAL 100")).first());
    },
    alertDone: (page) => part(page, "alert-banner").filter({ hasText: "SIGNAL 100" }).waitFor(),
    close: (h) => h.page.keyboard.press("Escape"),
    acknowledge: (h) => h.click(button(h.page, "Acknowledge emergency of Ana Ruiz").or(button(h.page, "Acknowledge emergency from Ana Ruiz"))),
    acknowledged: (page) => part(page, "panic-banner").waitFor({ state: "detached" }),
    unit: (page, name) => page.locator("[data-part=units] [data-part=unit]", { hasText: name }),
    async broadcast(h) {
      await h.click(button(h.page, "Broadcast…").first());
      await focused(h.page);
      await h.type(text);
      await h.click(h.page.locator("dialog").getByRole("button", { name: "Send" }));
    },
    async message(h) {
      await h.click(consoles.first.unit(h.page, "Ben Okoye"));
      await h.click(h.page.locator("dialog").getByLabel("Message"));
      await h.type(text);
      await h.key("Enter");
    },
    recall: (h) => h.click(button(h.page, "Recall MAIN").or(button(h.page, "Replay MAIN"))),
    recalled: (page) => part(page, "recall-player").waitFor(),
  },
  second: {
    ready: async (page) => {
      await part(page, "ptt").waitFor();
      await page.locator("[data-part=ptt][data-state=IDLE]").waitFor();
      await part(page, "voice-status").filter({ hasText: "LISTENING" }).waitFor({ state: "attached" });
    },
    signIn: { code: "Access code", callsign: "Callsign" },
    target: (h, name) => h.click(card(h.page, name).locator("[data-part=target]")),
    monitor: (h, name) => h.click(card(h.page, name).locator("[data-part=monitor]")),
    async patch(h) {
      await h.click(part(h.page, "new-patch"));
      for (const name of ["TAC", "FIRE"]) await h.click(h.page.getByRole("checkbox", { name: new RegExp(`^${name} `) }));
      await h.click(button(h.page, "Start patch"));
    },
    async alert(h) {
      await h.click(card(h.page, "STATE").locator("[data-part=more]"));
      await h.click(part(h.page, "drawer").getByRole("button", { name: /SIGNAL 100/ }).first());
    },
    alertDone: (page) => page.locator("[data-part=channel-card][data-alert=true]").waitFor(),
    close: (h) => h.page.keyboard.press("Escape"),
    acknowledge: (h) => h.key("F8"),
    acknowledged: (page) => page.locator("[data-part=emergency-slot][data-state=acknowledged]").waitFor(),
    unit: (page, name) => page.locator("[data-part=units] [data-part=unit]", { hasText: name }),
    async broadcast(h) {
      await h.click(part(h.page, "broadcast"));
      await focused(h.page);
      await h.type(text);
      await h.click(h.page.locator("dialog").getByRole("button", { name: "Send" }));
    },
    async message(h) {
      await h.click(consoles.second.unit(h.page, "Ben Okoye"));
      await h.click(h.page.locator("dialog").getByLabel("Message"));
      await h.type(text);
      await h.key("Enter");
    },
    recall: (h) => h.click(card(h.page, "MAIN").locator("[data-part=replay]")),
    recalled: (page) => page.locator("[data-part=recall-player], [data-part=recall]").first().waitFor(),
  },
};

const card = (page, name) => page.locator("[data-part=channel-card]", { has: page.locator("[data-part=name]", { hasText: new RegExp(`^${name}$`) }) });

/** Does the ten tasks at one console; returns a row for each. */
async function shift(kind, program) {
  const c = consoles[kind];
  const service = await Service.start({ program });
  const browser = await startBrowser();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, permissions: ["microphone"] });
  const page = await context.newPage();
  const rows = [];
  const task = async (name, work, done) => {
    const h = new Hands(page);
    const before = performance.now();
    await work(h);
    await done();
    rows.push({ name, clicks: h.clicks, keys: h.keys, ms: Math.round(performance.now() - before) });
    return h;
  };
  const channels = async () => (await service.status()).channels;
  const on = (f, list, n) => until(`${f} has ${n} ${list}`, async () => ((await channels())[f]?.[list].length ?? 0) >= n);

  const ana = await Radio.connect(service, 7, "Ana Ruiz", { nacId: "LSPD", unitId: "4A-12" });
  const ben = await Radio.connect(service, 8, "Ben Okoye", { nacId: "LSFD" });
  await ana.join("MAIN");
  await ben.join("FIRE");
  await page.goto(service.url);
  await page.getByLabel(c.signIn.code).waitFor();
  await task("log in", async (h) => {
    await h.click(page.getByLabel(c.signIn.code));
    await h.type(nacId);
    await h.key("Tab");
    await h.type("D-1");
    await h.key("Enter");
  }, () => part(page, "channel-card").or(page.locator("[data-part=onboarding]")).first().waitFor());

  // The first run is skipped by one press; it is part of the first transmission.
  let first = 0;
  const onboarding = page.locator("[data-part=onboarding]");
  if (await onboarding.isVisible().catch(() => false)) {
    await onboarding.getByRole("button", { name: /^Skip/ }).first().click();
    first++;
  }
  await c.ready(page);
  const talk = await task("join and talk", async (h) => {
    await c.target(h, "MAIN");
    await page.locator(":focus").evaluate((e) => e.blur()).catch(() => undefined);
    await h.down("F2");
  }, () => page.locator("[data-part=ptt][data-state=TX]").waitFor());
  first += talk.clicks + talk.keys;
  await page.keyboard.up("F2");
  await page.locator("[data-part=ptt][data-state=IDLE]").waitFor();

  await task("monitor four", async (h) => {
    for (const name of ["TAC", "STATE", "FIRE", "TRUNK"]) await c.monitor(h, name);
  }, () => on("856.1125", "listeners", 1));
  await task("patch two", (h) => c.patch(h), () => until("the patch is there", async () => Object.keys((await service.status()).activePatches).length === 1));
  await task("raise an alert", (h) => c.alert(h), () => c.alertDone(page));
  await c.close(new Hands(page));
  await ana.panic(true);
  await until("the emergency is there", async () => Object.keys((await service.status()).panicStatus).length > 0);
  await page.locator("[data-part=emergency-slot], [data-part=panic-banner]").first().waitFor();
  await task("acknowledge an emergency", (h) => c.acknowledge(h), () => c.acknowledged(page));
  await ana.panic(false);
  await task("move a unit", (h) => h.drag(c.unit(page, "Ana Ruiz"), card(page, "STATE").or(page.getByRole("group", { name: /^STATE / })).first()), () => ana.toldMove("STATE"));
  await task("text a unit", (h) => c.message(h), () => ben.toldMessage(text));
  if (await page.locator("dialog[open]").count()) await page.keyboard.press("Escape");
  await task("broadcast", (h) => c.broadcast(h), () => ben.wait("the broadcast", (e, p) => e === "dispatchNotification" && p.type === "broadcast"));
  await task("recall a channel", (h) => c.recall(h), () => c.recalled(page));
  ana.close();
  ben.close();
  await browser.close();
  await service.end();
  return { rows, first };
}

const at = process.argv.indexOf("--first");
const former = at > 0 ? await shift("first", process.argv[at + 1]) : null;
const now = await shift("second", process.env.SQUELCH_BIN);
let longer = 0;
const cell = (r) => (r ? `${String(r.clicks).padStart(3)} ${String(r.keys).padStart(4)} ${String(r.ms).padStart(6)}` : " ".repeat(15));
console.log(`${"task".padEnd(26)} ${former ? "before: clicks, keys, ms   " : ""}now: clicks, keys, ms`);
now.rows.forEach((r, i) => {
  const before = former?.rows[i];
  const more = before && r.clicks + r.keys > before.clicks + before.keys;
  if (more) longer++;
  console.log(`${r.name.padEnd(26)} ${before ? `${cell(before)}            ` : ""}${cell(r)}${more ? "  LONGER" : ""}`);
});
console.log(`first transmission after signing in: ${former ? `${former.first} inputs before, ` : ""}${now.first} inputs now (at most 4)`);
if (longer > 0 || now.first > 4) process.exit(1);
