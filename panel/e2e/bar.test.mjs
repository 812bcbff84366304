// What only the simulation has: its clock, scenarios, trainings with a report,
// journals that are played, and the bar that controls all this.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { accessible, dress, largeEnough, looks, picture } from "./eyes.mjs";
import { Radio } from "./radio.mjs";
import { Service } from "./service.mjs";
import { county, Stage, VirtualUnit } from "./simulated.mjs";
import { passes, until } from "./wait.mjs";

/** Ana talks for a second, every two seconds from the first on; Ben hears it. */
function talkative(times, first = 1) {
  const base = county();
  return {
    ...base,
    name: "Talkative",
    desk: { callsign: "NORTH", joined: "MAIN", scans: [] },
    units: base.units.map((u) => (u.id === 7 || u.id === 8 ? { ...u, on: "MAIN", off: false } : u)),
    steps: Array.from({ length: times }, (_, i) => ({ at: first + 2 * i, unit: 7, do: "talk", for: 1, says: `Call number ${i + 1}` })),
    ends: first + 2 * times + 1,
  };
}

test("the bar of the simulation", async (t) => {
  const stage = await Stage.build(t);
  const desk = await stage.open({}, { kept: { zoom: 1 } }); // zoomed in, the bar has its step and speed below it
  const { page, bar } = desk;
  const ana = new VirtualUnit(desk, "Ana Ruiz");
  const ben = new VirtualUnit(desk, "Ben Okoye");

  await t.test("a visitor sees and hears traffic at once", async () => {
    await bar.root.locator("[data-part=simulation-badge]", { hasText: "SIMULATION" }).waitFor();
    await page.locator("[data-part=channel-card][data-state=rx]").first().waitFor();
    await page.waitForFunction(() =>
      [...document.querySelectorAll("[data-part=channel-card] .bar")].some((b) => Number.parseFloat(b.style.transform.slice(7)) > 0.02),
    );
    await bar.root.locator("[data-part=caption] q").waitFor();
    await picture(page, "simulation-demo");
  });

  await t.test("pausing stops the clock and the units", async () => {
    await bar.begin(talkative(30));
    await desk.ready();
    await ana.reads("voice", "Talking");
    await bar.button("Pause").click();
    await bar.clock("paused");
    const before = await bar.root.innerText();
    await passes(2_500, "longer than a talk and the gap after it: nothing happens meanwhile");
    assert.equal(await bar.root.innerText(), before);
    const heard = await ben.heardFor();
    await bar.button("Run").click();
    await bar.clock("running");
    await until("Ben hears more", async () => (await ben.heardFor()) > heard);
  });

  await t.test("a step runs to the next event and stops there", async () => {
    const first = 100; // later than the slowest machine needs until the first press
    await bar.begin({ ...talkative(30, first), name: "Later" });
    await desk.ready();
    const caption = bar.root.locator("[data-part=caption]");
    for (const call of [1, 2, 3]) {
      await bar.button("Step").click();
      await ana.reads("voice", "Talking");
      await caption.getByText(`Call number ${call}`, { exact: true }).waitFor();
      assert.equal(await bar.elapsed(), first + 2 * call - 2);
      await bar.clock("paused");
      await bar.button("Step").click();
      await ana.reads("voice", "Idle");
      assert.equal(await bar.elapsed(), first + 2 * call - 1);
    }
    assert.equal(await ben.heardFor(), 3);
    await bar.section("Captions");
    assert.deepEqual(await bar.sheet.locator("[data-part=captions] q").allInnerTexts(), ["Call number 3", "Call number 2", "Call number 1"]);
    await bar.sheet.getByRole("button", { name: "Restart" }).click();
    await bar.closed();
    await until("it has begun anew", async () => (await bar.elapsed()) < first);
    await bar.button("Step").click();
    await caption.getByText("Call number 1", { exact: true }).waitFor();
  });

  await t.test("what the bar opens covers neither emergencies nor push-to-talk, and nothing of the console moves", async (t) => {
    const size = page.viewportSize();
    t.after(() => page.setViewportSize(size));
    await ana.deed({ do: "panic" });
    for (const [width, height] of [[1440, 900], [780, 600], [390, 844]]) {
      await page.setViewportSize({ width, height });
      const boxes = () =>
        page.evaluate(() => {
          const parts = ["emergency-lane", "ptt", "tools", "status-bar", "channels", "simulation-bar"];
          return parts.map((p) => {
            const { x, y, width, height } = document.querySelector(`[data-part=${p}]`).getBoundingClientRect();
            return [p, x, y, width, height];
          });
        });
      let before = "";
      // In the new window, which the page may learn of a frame later.
      await until("the console stands still", async () => {
        for (let frame = 0; frame < 5; frame++) await page.evaluate(() => new Promise(requestAnimationFrame));
        return before === (before = JSON.stringify(await boxes()));
      });
      before = JSON.parse(before);
      for (const tab of ["Scenarios", "Units", "Captions"]) {
        await bar.section(tab);
        assert.deepEqual(await boxes(), before, `${tab} at ${width}`);
        for (const part of ["[data-part=ptt]", "[data-part=emergency-slot]", "[data-part=emergency-slot] [data-part=answer]"]) {
          const { x, y, width: w, height: h } = await page.locator(part).first().boundingBox();
          assert.ok(y + h <= height, `${part} is on the screen at ${width}`);
          for (const at of [y + 3, y + h - 3])
            assert.ok(await page.evaluate(([x, y, part]) => document.elementFromPoint(x, y).closest(part) !== null, [x + w / 2, at, part]), `nothing covers ${part} at ${width}`);
        }
      }
      await picture(page, `simulation-sheet-${width}`);
      await bar.closed();
      assert.deepEqual(await boxes(), before);
    }
    await ana.deed({ do: "calm" });
    await bar.root.locator("[data-part=caption] q", { hasText: "Call number" }).waitFor();
  });

  await t.test("ten times as fast, the same happens", async () => {
    /** What there is at the end of the scenario when it runs at that speed, and how much faster it ran than real time. */
    const run = async (speed) => {
      await bar.begin(talkative(4));
      await bar.speed(speed);
      const gain = await page.evaluate(async () => {
        const elapsed = () => {
          const [, m, s] = /(\d+):(\d\d)/.exec(document.querySelector("[data-part=simulated-elapsed]").textContent);
          return Number(m) * 60 + Number(s);
        };
        const next = async () => {
          const before = elapsed();
          while (elapsed() === before) await new Promise((give) => setTimeout(give, 10));
        };
        await next();
        const here = performance.now();
        const there = elapsed();
        while (elapsed() < there + 4) await next();
        return ((elapsed() - there) * 1000) / (performance.now() - here);
      });
      await bar.clock("over");
      return { gain, heard: await ben.heardFor(), caption: await bar.root.locator("[data-part=caption]").innerText() };
    };
    const slow = await run("2×");
    const fast = await run("10×");
    assert.equal(fast.heard, 4);
    assert.equal(slow.heard, fast.heard);
    assert.equal(slow.caption, fast.caption);
    assert.match(fast.caption, /Call number 4/);
    // Wide margins: only whole seconds are shown, ten times in a second.
    assert.ok(slow.gain > 1 && slow.gain < 4, `2× is ${slow.gain}`);
    assert.ok(fast.gain > 5 && fast.gain < 40, `10× is ${fast.gain}`);
  });

  await t.test("an invalid scenario is refused with the field at fault, and the running one goes on", async () => {
    const refused = bar.sheet.locator("[data-part=scenario-refused]");
    const broken = (more) => JSON.stringify({ ...talkative(1), name: "Broken", ...more });
    const files = [
      [broken({ steps: [{ at: 1, unit: 7, do: "talk", for: -1 }] }), "steps[0].for"],
      [broken({ steps: [{ at: 1, unit: 7, do: "sing" }] }), "steps[0].do"],
      [broken({ units: [{ id: 7, name: "Ana", on: "NOWHERE" }], steps: [] }), "units[0].on"],
      ["{", "JSON"],
      ['{"squelch":"journal","version":99}', "line 1"],
    ];
    for (const [text, field] of files) {
      await bar.play("broken.json", text);
      await refused.getByText("broken.json").waitFor();
      await refused.getByText(field).first().waitFor();
    }
    await bar.root.locator("[data-part=scenario-name]", { hasText: /^Talkative$/ }).waitFor();
    await bar.play("broken.json", broken({ steps: [{ at: 1, unit: 7, do: "join", chanel: "TAC" }, { at: 2, unit: 7, du: "leave" }, ...Array.from({ length: 24 }, () => ({ at: 3 }))] }));
    await refused.getByText("26 mistakes in this file").waitFor();
    const mistakes = await refused.locator("[data-part=mistake]").allInnerTexts();
    assert.equal(mistakes.length, 20);
    assert.deepEqual(mistakes.slice(0, 2), ["steps[0].chanel unknown field; did you mean channel?", "steps[1].du unknown field; did you mean do?"]);
    await refused.getByText("and 6 more").waitFor();
    await accessible(page, "mistakes", "[data-part=simulation-sheet]");
    await picture(page, "simulation-refused");
    await bar.closed();
  });

  await t.test("a file is dropped onto the bar", async () => {
    const data = await page.evaluateHandle((text) => {
      const d = new DataTransfer();
      d.items.add(new File([text], "dropped.json", { type: "application/json" }));
      return d;
    }, JSON.stringify({ ...talkative(2), name: "Dropped" }));
    await bar.root.dispatchEvent("dragover", { dataTransfer: data });
    await bar.root.getByText("Drop a scenario or a journal here").waitFor();
    await bar.root.dispatchEvent("drop", { dataTransfer: data });
    await bar.root.locator("[data-part=scenario-name]", { hasText: "Dropped" }).waitFor();
  });

  await t.test("a training: one call is answered, the others are missed, and the report says so", async () => {
    await bar.section("Scenarios");
    await bar.sheet.locator("[data-part=scenario]", { hasText: "TRAINING" }).first().waitFor();
    await picture(page, "simulation-scenarios");
    await bar.sheet.getByRole("button", { name: "Start Officer down" }).click();
    await bar.root.locator("[data-part=scenario-name]", { hasText: "Officer down" }).waitFor();
    await until("the focus is not lost", () => page.evaluate(() => document.activeElement?.textContent === "More"));
    await bar.button("Pause").click(); // at once: the first call waits for nobody
    await desk.ready("LSPD DISP");
    await bar.root.locator("[data-part=points]", { hasText: /^0 of \d+ points$/ }).waitFor();

    // The first call: step by step until it comes, and then at the desk's own speed.
    const task = bar.root.locator("[data-part=task]", { hasText: "Answer 1-ADAM-14" });
    for (let i = 0; i < 500 && !(await task.isVisible()); i++) await bar.button("Step").click();
    await picture(page, "simulation-training");
    const talking = () => page.evaluate(() => globalThis.simulation.view.units.some((u) => u.id === 14 && u.talking));
    for (let i = 0; i < 500 && (await talking()); i++) await bar.button("Step").click();
    await desk.state("LSPD DISP", "idle");
    await page.keyboard.down("F2"); // with the focus in the bar; the clock stands still, so no machine is too slow
    await desk.ptt("TX");
    await page.keyboard.up("F2");
    await desk.ptt("IDLE");
    await task.waitFor({ state: "detached" });
    const points = Number.parseInt(await bar.root.locator("[data-part=points]").innerText(), 10);
    assert.ok(points > 0, "the answer earned nothing");

    const report = bar.sheet.getByRole("region", { name: "Training report" });
    for (let i = 0; i < 500 && !(await report.isVisible()); i++) await bar.button("Step").click({ timeout: 1_000 }).catch(() => undefined);
    await report.getByText(/^Training complete: /).waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), "Step", "the report took the focus");
    const rows = await report.locator("[data-part=report-task]").all();
    const states = await Promise.all(rows.map((r) => r.getAttribute("data-state")));
    assert.deepEqual(states, ["done", ...Array.from({ length: rows.length - 1 }, () => "missed")]);
    assert.ok(rows.length >= 5);
    const cells = await rows[0].locator("td").allInnerTexts();
    assert.match(cells[0], /Done/);
    assert.match(cells[1], /^\d+\.\d s$/);
    assert.equal(cells[2], "0:15");
    assert.equal(Number(cells[3]), points);
    const calls = await report.getByRole("rowheader", { name: /^Answer / }).count();
    assert.equal(await report.locator("[data-part=report-missed]").innerText(), String(calls - 1));
    assert.equal(await report.locator("[data-part=mean-time]").innerText(), cells[1]);
    await accessible(page, "report", "[data-part=simulation-sheet]");
    await picture(page, "simulation-report");

    await report.getByRole("button", { name: "Run again" }).click();
    await report.waitFor({ state: "detached" });
    await bar.root.locator("[data-part=points]", { hasText: /^0 of / }).waitFor();
    await bar.clock("running");
  });

  await t.test("a journal of the real service ends in the state that squelch replay ends in", async () => {
    const service = new Service();
    t.after(() => service.end());
    const file = join(service.data, "shift.journal");
    service.more = ["--journal", file];
    await service.start();
    await service.status(); // a CAD logs in
    const [one, two] = [await Radio.connect(service, 7, "Ana Ruiz", { nacId: "LSPD" }), await Radio.connect(service, 8, "Ben Okoye")];
    await one.join("MAIN");
    await two.join("MAIN");
    await one.talk(true);
    await two.hears(0.04);
    await one.talk(false);
    await two.panic(true);
    one.close();
    two.close();
    await service.stop();
    const text = readFileSync(file, "utf8");
    const replayed = JSON.parse(execFileSync(process.env.SQUELCH_BIN, ["replay", "--json", file], { encoding: "utf8" }));

    await bar.play("shift.journal", text);
    const playback = bar.root.getByRole("group", { name: "Journal" });
    const progress = playback.locator("[data-part=playback-progress]");
    await progress.getByText("in shift.journal").waitFor();
    await bar.speed("10×");
    await playback.locator("[data-part=playback-result][data-state=same]", { hasText: "Matches the recording" }).waitFor();
    assert.equal(await playback.locator("[data-part=playback-hash]").innerText(), replayed.state);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write", "microphone"]);
    await playback.getByRole("button", { name: "Copy checksum" }).click();
    await playback.getByText("Copied").waitFor();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), replayed.state);
    const orders = replayed.commands + replayed.ticks;
    assert.match(await progress.innerText(), new RegExp(`^${orders} of ${orders} `));
    await accessible(page, "playback", "[data-part=simulation-bar]");
    await picture(page, "simulation-journal");

    // The same with a digit of its hash changed: it no longer matches.
    await bar.play("forged.journal", text.replace(replayed.state, replayed.state.replace(/.$/, (x) => (x === "0" ? "1" : "0"))));
    await progress.getByText("in forged.journal").waitFor();
    await bar.speed("10×");
    await playback.locator("[data-part=playback-result][data-state=different]").waitFor();
    assert.equal(await playback.locator("[data-part=playback-hash]").innerText(), replayed.state);
  });

  await t.test("the whole bar by keyboard, in every look, without covering the console", async () => {
    await bar.begin(talkative(500));
    await desk.ready();
    const { keyboard } = page;
    const press = async (name, within = bar.root) => {
      await within.getByRole("button", { name, exact: true }).focus();
      await keyboard.press("Enter");
    };
    await press("Pause");
    await bar.clock("paused");
    await keyboard.press("Space"); // on the same key
    await bar.clock("running");
    await press("More"); // at the tab that was open last
    await bar.sheet.getByRole("tab", { name: "Scenarios" }).focus();
    for (const tab of ["Units", "Captions"]) {
      await keyboard.press("ArrowRight");
      await bar.sheet.locator("[role=tab][aria-selected=true]:focus", { hasText: tab }).waitFor();
    }
    const captions = bar.root.locator("[data-part=caption]");
    assert.equal(await captions.getAttribute("aria-live"), "polite");
    await bar.sheet.getByLabel("Read aloud").focus();
    await keyboard.press("Space");
    await page.locator("[data-part=caption][aria-live=off]").waitFor();
    await bar.section("Units");
    await press("Control Ben Okoye", bar.sheet);
    const steering = bar.sheet.getByRole("group", { name: "Ben Okoye", exact: true });
    await press("Raise emergency", steering);
    await page.locator("[data-part=emergency-slot]", { hasText: "Ben Okoye" }).waitFor();
    await press("End emergency", steering);
    await page.locator("[data-part=emergency-slot][data-state=ended]").waitFor();
    await page.keyboard.press("F8");
    await page.locator("[data-part=emergency-slot][data-state=ended]").waitFor({ state: "detached" });
    await steering.getByLabel("Unit’s channel").selectOption("154.815");
    await press("Join channel", steering);
    await ben.reads("channel", "TAC");
    await bar.sheet.locator("[data-part=virtual-unit]", { hasText: "Ben Okoye" }).locator("[data-part=unit-channel]", { hasText: "TAC" }).waitFor();
    await page.keyboard.down("F2"); // the key of the desk works wherever the focus is
    await until("the desk talks or is told who does", async () => /TX|DENIED/.test(await page.locator("[data-part=ptt]").getAttribute("data-state")));
    await page.keyboard.up("F2");

    // What the radio refuses is reported where it was asked for: FIRE is patched
    // twice.
    await VirtualUnit.on(desk, "SOUTH");
    await press("Control SOUTH", bar.sheet);
    const south = bar.sheet.getByRole("group", { name: "SOUTH", exact: true });
    for (const channel of ["MAIN", "TAC"]) {
      await south.getByLabel("Unit’s channel").selectOption({ label: channel });
      await south.getByLabel("Patch with").selectOption({ label: "FIRE" });
      await press("Patch these two", south);
      if (channel === "MAIN") await desk.card("FIRE").locator("[data-part=patch-tag]").waitFor();
    }
    await bar.sheet.locator("[data-part=steering-refused]", { hasText: /./ }).waitFor();
    await south.getByRole("button", { name: /^End patch / }).focus();
    await keyboard.press("Enter");
    await desk.card("FIRE").locator("[data-part=patch-tag]").waitFor({ state: "detached" });

    for (const look of looks) {
      await bar.closed();
      await dress(desk, look, "Comfortable");
      for (const tab of ["Scenarios", "Units"]) {
        await bar.section(tab);
        for (const part of ["simulation-bar", "simulation-sheet"]) await accessible(page, `${look}, ${tab}`, `[data-part=${part}]`);
        await largeEnough(page, `${look}, ${tab}`, "[data-part=simulation-bar], [data-part=simulation-sheet]");
        await picture(page, `simulation-bar-${look}-${tab}`.toLowerCase().replaceAll(" ", "-"));
      }
      const [scrolls, foot] = await page.evaluate(() => {
        const { scrollHeight, clientHeight, scrollWidth, clientWidth } = document.documentElement;
        const app = document.getElementById("app");
        return [
          scrollHeight > clientHeight || scrollWidth > clientWidth || app.scrollHeight > app.clientHeight,
          document.querySelector("[data-part=ptt-bar]").getBoundingClientRect().bottom - innerHeight,
        ];
      });
      assert.equal(scrolls, false, `the page scrolls in ${look}`);
      assert.ok(Math.abs(foot) <= 1, `the console ends ${foot} px below the window in ${look}`);
    }
    await bar.closed();
    await desk.button("Settings").click();
    await page.getByLabel("Language").selectOption("Deutsch");
    await page.keyboard.press("Escape");
    await bar.button("Mehr").waitFor();
    await accessible(page, "German", "[data-part=simulation-bar]");
    await picture(page, "simulation-bar-german");
  });

  await t.test("no errors in the browser, and no requests except to the web server", () => {
    desk.silent();
    stage.alone();
  });
});
