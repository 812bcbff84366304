// The radio on the screen, in the game's Chromium 103 and in today's: every button says
// what it is for, and the display shows what Lua says.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { Game } from "./nui/game.mjs";
import { folder } from "./voice/service.mjs";
import { speech } from "./voice/speech.mjs";
import { until } from "./wait.mjs";

const models = ["handheld-a", "handheld-b", "car"];
/** What a player can do with every model. */
const everything = ["channel_down", "channel_up", "close", "earbuds", "emergency", "gps", "layout", "night", "power", "ptt_down", "ptt_up", "scan", "theme", "volume", "zone_down", "zone_up"];

/** Middles of everything that can be pressed or turned, with their labels. */
const parts = (tab) =>
  tab.evaluate(() =>
    [...document.querySelectorAll("[role=button], [role=slider]")].map((e) => {
      const r = e.getBoundingClientRect();
      return { role: e.getAttribute("role"), label: e.getAttribute("aria-label"), x: r.x + r.width / 2, y: r.y + r.height / 2, part: e.dataset.part ?? "" };
    }),
  );

const text = (tab, part) => tab.evaluate((p) => document.querySelector(`[data-part=${p}]`)?.textContent.replace(/\s+/g, " ").trim() ?? null, part);
const place = (tab) => tab.evaluate(() => (({ x, y, width }) => ({ x: Math.round(x), y: Math.round(y), width: Math.round(width) }))(document.querySelector("[data-part=radio]").getBoundingClientRect()));

for (const kind of ["103", "today"]) {
  test(`the radio on the screen in Chromium ${kind}`, async (t) => {
    const wav = join(folder(t), "speech.wav");
    writeFileSync(wav, speech());
    const game = await Game.start(t, kind, { wav });
    const { tab } = game;
    const { mouse, keyboard } = tab;
    const uis = (from) => game.calls.slice(from).filter(([n]) => n === "ui").map(([, d]) => d);
    const says = (action, from) => game.call("ui", (u) => u.action === action, from);
    const wheel = (deltaY) => (kind === "103" ? mouse.wheel({ deltaY }) : mouse.wheel(0, deltaY));
    const click = async ({ x, y }) => {
      await mouse.move(x, y);
      await mouse.down();
      await mouse.up();
    };

    const still = (model) =>
      until("the radio is drawn and still", async () => (await tab.evaluate((m) => document.querySelector("main")?.dataset.model === m && document.getAnimations().every((a) => a.playState === "finished"), model)) && (await parts(tab)).length > 10);

    for (const model of models) {
      await t.test(`${model}: every button does what its name says, and nothing is missing`, async () => {
        await game.show({ model, focus: true, volume: 0.5 });
        await still(model);
        const done = new Set();
        for (const p of await parts(tab)) {
          assert.ok(p.label, "everything has a name");
          const from = game.calls.length;
          await click(p);
          await until(`${p.label} says something`, () => uis(from).length > 0);
          if (p.part === "ptt") await says("ptt_up", from);
          await game.answered();
          for (const u of uis(from)) done.add(u.action);
          if (p.role !== "slider") continue;
          // A knob: the wheel turns it.
          const before = game.calls.length;
          await wheel(-100);
          await until(`${p.label} turns`, () => uis(before).length > 0);
          await wheel(100);
          await until(`${p.label} turns back`, () => uis(before).length > 1);
          await game.answered();
          const [up, down] = uis(before);
          if (up.action === "volume") assert.deepEqual([up.value, down.value], [0.55, 0.5]);
          else assert.deepEqual([up.action, down.action], ["channel_up", "channel_down"]);
          for (const u of uis(before)) done.add(u.action);
          // So does a drag, which is no press.
          const drags = game.calls.length;
          await mouse.move(p.x, p.y);
          await mouse.down();
          await mouse.move(p.x + 25, p.y);
          await until(`${p.label} is dragged`, () => uis(drags).length > 0);
          await mouse.move(p.x, p.y);
          await mouse.up();
          await until(`${p.label} is dragged back`, () => uis(drags).some((u) => u.action === down.action && u.value === down.value));
          await game.answered();
          assert.ok(uis(drags).every((u) => u.action === up.action || u.action === down.action), JSON.stringify(uis(drags)));
        }
        assert.deepEqual([...done].sort(), everything);
      });
    }

    await t.test("a push-to-talk that is held is let go when the window loses the keyboard", async () => {
      await game.show({ model: "handheld-a" });
      const ptt = (await parts(tab)).find((p) => p.part === "ptt");
      const from = game.calls.length;
      await mouse.move(ptt.x, ptt.y);
      await mouse.down();
      await says("ptt_down", from);
      await tab.evaluate(() => window.dispatchEvent(new Event("blur")));
      await says("ptt_up", from);
      await mouse.up();
      await game.answered();
      assert.equal(uis(from).length, 2, "once each");
    });

    await t.test("a radio that is put away lets go, too", async () => {
      const ptt = (await parts(tab)).find((p) => p.part === "ptt");
      const from = game.calls.length;
      await mouse.move(ptt.x, ptt.y);
      await mouse.down();
      await says("ptt_down", from);
      await game.show({ open: false });
      await says("ptt_up", from);
      await mouse.up();
      await game.show({ open: true });
    });

    await t.test("keys that walk and drive press nothing, whatever was clicked or is held", async () => {
      await still("handheld-a");
      const all = await parts(tab);
      const from = game.calls.length;
      await click(all.find((p) => p.label === "Scan"));
      await says("scan", from);
      const ptt = all.find((p) => p.part === "ptt");
      await mouse.move(ptt.x, ptt.y);
      await mouse.down();
      await says("ptt_down", from);
      for (const key of ["w", "a", "s", "d", "e", "f", "g", "n", "p", " ", "Enter"]) await keyboard.press(key);
      await game.answered();
      assert.deepEqual(uis(from).map((u) => u.action), ["scan", "ptt_down"]);
      await mouse.up();
      await says("ptt_up", from);
    });

    await t.test("the keyboard turns channels, zones and the volume, and closes", async () => {
      const from = game.calls.length;
      for (const [key, action] of [["ArrowUp", "channel_up"], ["ArrowLeft", "zone_down"], ["PageDown", "volume"], ["Escape", "close"]]) {
        await keyboard.press(key);
        await says(action, from);
      }
    });

    await t.test("the display says who talks, what is wrong, and nothing when it is off", async () => {
      await game.show({ talker: { serverId: 21, name: "Kay Moss", unitId: "2B21", frequency: "154.755" } });
      await until("the talker", async () => (await text(tab, "band")) === "2B21 Kay Moss");
      assert.equal(await text(tab, "channel"), "PATROL");
      await game.show({ talker: undefined, emergency: { active: true, frequency: "154.755", hotMicMs: 10_000 }, transmitting: "talking" });
      await until("the open microphone", async () => /^EMERGENCY MIC OPEN 0:(10|09|08)$/.test(await text(tab, "band")));
      assert.equal(await tab.evaluate(() => document.querySelector("[data-part=lamp]").dataset.lamp), "flash");
      await game.show({ emergency: undefined, transmitting: "idle", connected: false });
      await until("no service", async () => (await text(tab, "band")) === "NO SERVICE");
      await game.show({ connected: true, alert: { name: "SIGNAL 100", color: "#d4101f" } });
      await until("the alert", async () => (await text(tab, "alert")) === "◆SIGNAL 100");
      await game.show({ alert: undefined, power: false });
      await until("a dark display", async () => (await text(tab, "display")) === "");
      await game.show({ power: true });
    });

    await t.test("it stays where it was dragged to, also after the page was loaded again", async () => {
      const was = await place(tab);
      const [x, y] = [was.x + was.width / 2, was.y + 0.93 * (900 - was.y)]; // below the loudspeaker
      await mouse.move(x, y);
      await mouse.down();
      await mouse.move(x - 200, y - 60, { steps: 4 });
      await mouse.up();
      const now = await place(tab);
      assert.deepEqual([now.x, now.y], [was.x - 200, was.y - 60]);
      const from = game.calls.length;
      await tab.reload();
      await game.call("ready", () => true, from);
      await game.show();
      await until("it is back at its place", async () => {
        const p = await tab.evaluate(() => document.querySelector("[data-part=radio]") !== null).then((there) => (there ? place(tab) : null));
        return p && p.x === now.x && p.y === now.y;
      });
    });

    await t.test("in the corner it shows its display and takes no clicks", async () => {
      await game.show({ focus: false });
      await until("the corner", () => tab.evaluate(() => document.querySelector("[data-form=corner]") !== null));
      assert.equal(await tab.evaluate(() => getComputedStyle(document.querySelector("[data-form=corner]")).pointerEvents), "none");
      assert.equal(await text(tab, "channel"), "PATROL");
      assert.deepEqual(await parts(tab), []);
    });

    await t.test("what Lua saves comes back with the next page", async () => {
      await game.post({ type: "save", settings: { voice: 0.7, layout: "car" } });
      const from = game.calls.length;
      await tab.reload();
      assert.deepEqual((await game.call("ready", () => true, from)).settings, { voice: 0.7, layout: "car" });
    });

    await t.test("the page has complained of nothing", () => assert.deepEqual(game.complaints, []));
  });
}
