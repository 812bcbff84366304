// Themes in the administration, in a real browser with the real service: nothing is
// installed that nobody has looked at, and no script that nobody has read to its end.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, before, beforeEach } from "node:test";
import { Admin, password, sideways } from "./admin.mjs";
import { startBrowser } from "./browser.mjs";
import { accessible } from "./eyes.mjs";
import { masterToken, nacId, Service } from "./service.mjs";
import { Marketplace, sha256, theme, zip } from "./themes.mjs";
import { until } from "./wait.mjs";

let browser, service, market, folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "squelch-market-"));
  market = await Marketplace.open();
  // Whom a Go program trusts on Linux, in place of what the machine does.
  writeFileSync(join(folder, "roots.pem"), market.cert);
  process.env.SSL_CERT_FILE = join(folder, "roots.pem");
  service = await Service.start();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.end();
  await market?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Every test begins without themes of others. */
beforeEach(async () => {
  for (const t of (await config()).themes) if (!t.builtIn) await service.post("/api/themes/remove", { slug: t.slug });
});

/** One administrator in the view of themes. */
class Curator extends Admin {
  static async at(service, options) {
    const c = await Curator.open(browser, service, options);
    await c.login();
    await c.view("Themes");
    await c.page.getByRole("table", { name: "Themes" }).waitFor();
    return c;
  }
  static async open(...args) {
    return Object.setPrototypeOf(await Admin.open(...args), Curator.prototype);
  }
  /** Chooses a file as a user does. */
  async choose(name, data) {
    const chooser = this.page.waitForEvent("filechooser");
    await this.button("Upload theme…").click();
    await (await chooser).setFiles({ name, mimeType: "application/zip", buffer: data });
  }
  review(name) {
    return this.page.getByRole("dialog", { name });
  }
  install() {
    return this.button("Install", this.page.getByRole("dialog"));
  }
  agree() {
    return this.page.getByRole("checkbox", { name: "I have read the source and trust it" });
  }
  /** Reads a script's source to its end, by keyboard. */
  async read() {
    await this.page.locator(".source .end").waitFor({ state: "attached" });
    await until("the end is on screen", async () => {
      await this.page.keyboard.press("End");
      return this.page.getByText("You have reached the end of the source.").isVisible();
    });
  }
  gone() {
    return this.page.getByRole("dialog").waitFor({ state: "detached" });
  }
  /** Uploads a theme and installs it with all that it takes. */
  async add(data) {
    await this.choose("theme.zip", data);
    await this.install().waitFor();
    if (await this.agree().count()) {
      await this.read();
      await this.agree().check();
    }
    await this.install().click();
    await this.told("is installed.");
    await this.gone();
  }
}

/** What dispatchers get. */
async function config(at = service) {
  const post = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ nacId, callsign: "CAD" }) };
  const who = await (await fetch(`${at.url}/radio/dispatch/auth`, post)).json();
  return (await fetch(`${at.url}/radio/dispatch/config`, { headers: { Authorization: `Bearer ${who.authToken}`, "X-Session-Id": who.sessionId } })).json();
}
const installed = async (slug, at = service) => (await config(at)).themes.find((t) => t.slug === slug);
const file = async (t, name, at = service) => (await fetch(`${at.url}/themes/${t.slug}/${t.build}/${name}`)).text();

test("a theme without a script takes one look; it becomes the default, and is removed", async () => {
  const a = await Curator.at(service);
  await a.accessible("themes");
  const css = `:root { --sq-accent: #7fd0ff; }\n@import url("https://evil.example/x.css");\n.a { background: url(https://evil.example/dot.png); }\n`;
  await a.choose("night-1.0.zip", theme({ css }));
  const review = a.review("Install Night Shift?");
  await review.waitFor();
  await review.getByText("This theme has no script").waitFor();
  await review.getByText(/^style\.css, line 2, column 1$/).waitFor();
  await review.getByText(/^style\.css, line 3, column /).waitFor();
  await review.getByText("https://evil.example/x.css").first().waitFor();
  await review.getByText("preview.png").waitFor();
  await review.getByText("A stylesheet can hide or imitate parts of the console.").waitFor();
  assert.equal(await a.agree().count(), 0);
  await a.accessible("theme review");

  // Leaving the review installs nothing.
  await a.page.keyboard.press("Escape");
  await a.gone();
  await until("the focus returns", async () => (await a.focused()) === "Upload theme…");
  assert.equal(await installed("night"), undefined);

  await a.choose("night-1.0.zip", theme({ css }));
  await a.install().press("Enter");
  await a.told("Night Shift 1.0 is installed.");
  await a.gone();
  await until("the focus returns", async () => (await a.focused()) === "Upload theme…");
  const night = await installed("night");
  assert.deepEqual([night.name, night.version, night.hasJs, night.builtIn], ["Night Shift", "1.0", false, false]);
  const served = await file(night, night.css);
  assert.ok(served.includes("#7fd0ff") && !served.includes("evil"), served);
  const image = a.row("Night Shift").locator("img");
  await until("its picture is there", () => image.evaluate((i) => i.complete && i.naturalWidth > 0));

  await a.open("Night Shift");
  await a.accessible("theme");
  await a.button("Make default: Night Shift").click();
  await a.page.getByRole("dialog").getByText("Night Shift is the default theme now.").waitFor();
  await a.leave();
  assert.equal((await config()).defaultTheme, "night");
  await a.row("Night Shift").filter({ hasText: "Default" }).waitFor();
  await a.button("No default theme").click();
  await a.told("There is no default theme now.");
  assert.equal((await config()).defaultTheme, "");
  await a.open("Night Shift");
  await a.button("Make default: Night Shift").click();
  await a.page.getByRole("dialog").getByText("Night Shift is the default theme now.").waitFor();

  await a.button("Remove… Night Shift").click();
  const sure = a.page.getByRole("dialog").filter({ hasText: "Remove the theme Night Shift?" });
  await a.button("Cancel", sure).click();
  await a.button("Remove… Night Shift").click();
  await a.button("Remove theme", sure).click();
  await a.told("Night Shift has been removed.");
  await a.row("Night Shift").waitFor({ state: "detached" });
  await until("the focus is on the page", async () => (await a.focused()) === "Upload theme…");
  const after = await config();
  assert.deepEqual([after.themes.some((t) => t.slug === "night"), after.defaultTheme], [false, ""]);

  await a.view("Audit log");
  for (const sentence of ["The administrator installed the theme Night Shift 1.0", "The administrator made the theme night the default", "The administrator chose to have no default theme", "The administrator removed the theme Night Shift"])
    await a.button(sentence).first().waitFor();
  await a.close();
});

test("a theme with a script is installed only when its source was read to the end", async () => {
  const a = await Curator.at(service);
  const js = `// A clock\n${'dispatch.on("tick", () => { theme.setVar("--x", "1"); });\n'.repeat(400)}`;
  const data = theme({ js });
  await a.choose("night.zip", data);
  const review = a.review("Install Night Shift?");
  await review.getByRole("heading", { name: "This theme has a script" }).waitFor();
  await review.getByText("The script acts as the dispatcher who uses the theme").waitFor();
  await review.getByText(sha256(js)).waitFor();
  await a.page.locator(".source .end").waitFor({ state: "attached" });
  assert.deepEqual(await a.page.locator(".source .line").evaluateAll((all) => [all.length, all[0].textContent, all.at(-1).dataset.n]), [401, "// A clock", "401"]);
  assert.deepEqual([await a.install().isDisabled(), await a.agree().isDisabled()], [true, true]);
  await a.accessible("theme script review");
  // Nor by going around the keys.
  await a.install().evaluate((b) => b.click());
  await a.agree().evaluate((b) => b.click());
  await a.page.keyboard.press("PageDown");
  assert.equal(await a.install().isDisabled(), true);
  assert.equal(await a.page.getByText("Scroll to the end of the source to go on.").isVisible(), true);
  assert.equal(await installed("night"), undefined);

  await a.read();
  assert.deepEqual([await a.install().isDisabled(), await a.agree().isDisabled()], [true, false]);
  await a.agree().press("Space");
  assert.equal(await a.install().isDisabled(), false);
  await a.agree().press("Space");
  assert.equal(await a.install().isDisabled(), true);
  await a.agree().press("Space");
  await a.accessible("theme script read");
  const sent = a.page.waitForRequest("**/admin/api/themes/install?*");
  await a.install().press("Enter");
  await a.told("Night Shift 1.0 is installed.");
  const request = await sent;
  assert.equal(new URL(request.url()).searchParams.get("js"), sha256(js));
  const night = await installed("night");
  assert.equal(new URL(request.url()).searchParams.get("build"), night.build);
  assert.equal(night.hasJs, true);
  assert.ok((await file(night, "_run.js")).includes(js));
  await a.row("Night Shift").filter({ hasText: "JS" }).waitFor();

  // The same rule for what replaces it, and one can see what is different.
  await a.choose("night.zip", theme({ js, version: "1.1" }));
  await a.review("Replace Night Shift?").getByText("Replaces Night Shift 1.0 by Ana Ruiz. The script is the same as the installed one.").waitFor();
  assert.equal(await a.install().isDisabled(), true);
  await a.leave();
  await a.add(theme({ js: `${js}more();\n`, version: "1.2" }));
  await a.choose("night.zip", theme({ js, version: "1.3" }));
  await a.page.getByText("The script is not the installed one: it has changed.").waitFor();
  await a.leave();
  assert.equal((await installed("night")).version, "1.2");
  await a.view("Audit log");
  await a.button("The administrator replaced the theme Night Shift 1.0 with version 1.2, which has a script").waitFor();
  await a.close();
});

test("what changed between review and install is reviewed anew", async () => {
  const a = await Curator.at(service);
  const [shown, other] = [theme({ js: "one();\n" }), theme({ js: "two();\n" })];
  await a.choose("night.zip", shown);
  await a.read();
  await a.agree().check();
  // Something on the way puts another theme in its place, from now on.
  await a.page.route(/\/admin\/api\/themes\/(install|review)/, (route) => route.continue({ postData: other }));
  await a.install().click();
  await a.failed("The theme has changed since you reviewed it.");
  await a.page.locator(".source").getByText("two();").waitFor();
  assert.equal(await a.agree().isChecked(), false);
  assert.equal(await a.install().isDisabled(), true);
  assert.equal(await installed("night"), undefined);
  await a.accessible("theme changed");
  await a.read();
  await a.agree().check();
  await a.install().click();
  await a.told("is installed.");
  assert.ok((await file(await installed("night"), "_run.js")).includes("two();"));

  // Also if only the install is tampered with, and for a theme that has no script.
  await a.page.unrouteAll();
  await a.choose("calm.zip", theme({ slug: "calm", name: "Calm" }));
  await a.review("Install Calm?").waitFor();
  await a.page.route("**/admin/api/themes/install*", (route) => route.continue({ postData: theme({ slug: "calm", name: "Calm", css: ".other { color: red; }\n" }) }));
  await a.install().click();
  await a.failed("It was not installed. Review it again.");
  assert.equal(await installed("calm"), undefined);

  // A service that says another hash than that of the source that it shows is not believed.
  await a.leave();
  await a.page.unrouteAll();
  await a.page.route("**/admin/api/themes/review", async (route) => {
    const answer = await route.fetch();
    const body = await answer.json();
    body.script.source = "harmless();\n";
    await route.fulfill({ response: answer, json: body });
  });
  await a.choose("night.zip", shown);
  await a.failed("The source shown is not what the server would install");
  assert.deepEqual([await a.install().isDisabled(), await a.agree().isDisabled()], [true, true]);
  await a.close(/status of 409/);
});

test("hostile source does nothing, and hides nothing", async () => {
  const a = await Curator.at(service);
  const js = [
    `</div><img src=x onerror="window.pwned = 1"><script>window.pwned = 1</script>`,
    "if (admin) { /*\u202e } \u2066if (isAdmin)\u2069 \u2066 begin*/",
    "// over\u2028evil();",
    "const \u3164 = 1, a\u200b\u200bb = 2;",
    `ok();${" ".repeat(5000)}hidden();`,
    `x = "\u05d0\u05d1\u05d2" + "s\u0441ope";`,
    `y("${"z".repeat(20_000)}");`,
    "end();\n",
  ].join("\n");
  await a.choose("night.zip", theme({ js }));
  const source = a.page.getByRole("group", { name: "Source of theme.js" });
  await source.waitFor();
  await a.page.locator(".source .end").waitFor({ state: "attached" });
  const lines = await source.locator(".line").evaluateAll((all) => all.map((l) => [l.dataset.n, l.textContent]));
  const text = (n) => lines.filter(([at]) => at === String(n)).map(([, t]) => t);
  assert.deepEqual(text(1), [`</div><img src=x onerror="window.pwned = 1"><script>window.pwned = 1</script>`]);
  assert.deepEqual(text(2), ["if (admin) { /*U+202E } U+2066if (isAdmin)U+2069 U+2066 begin*/"]);
  assert.deepEqual([text(3), text(4)], [["// overU+2028"], ["evil();"]]);
  assert.deepEqual(text(5), ["const U+3164 = 1, aU+200B × 2b = 2;"]);
  assert.deepEqual(text(6), ["ok();5000 × ␣hidden();"]);
  assert.equal(lines.slice(7).map(([, t]) => t).join("").length, 20_000 + 6 + "end();".length);
  assert.deepEqual(await source.evaluate((s) => [s.querySelectorAll("img, script").length, window.pwned, s.scrollWidth <= s.clientWidth]), [0, undefined, true]);
  // Hebrew stands in the order of the file, left to right.
  const order = await source.locator(".line[data-n='7'] u").first().evaluate((u) => {
    const range = document.createRange();
    return [0, 1, 2].map((i) => {
      range.setStart(u.firstChild, i);
      range.setEnd(u.firstChild, i + 1);
      return range.getBoundingClientRect().left;
    });
  });
  assert.deepEqual(order, [...order].sort((x, y) => x - y));
  const odd = a.page.getByRole("region", { name: "Characters that would not be seen" });
  const told = (await odd.getByRole("listitem").allInnerTexts()).map((l) => l.replace(/\s+/g, " ").trim());
  assert.deepEqual(told, ["Line 2 U+202E U+2066 U+2069 – changes the direction of text", "Line 3 U+2028", "Line 5 U+3164 U+200B × 2", "Line 6 5000 × ␣"]);
  await a.accessible("theme hostile");
  await a.button("Line 6", odd).click();
  await until("the line is on screen", () => source.locator(".line[data-n='6']").evaluate((l) => l.getBoundingClientRect().top > 0 && l.getBoundingClientRect().bottom < innerHeight));
  await a.leave();

  // A megabyte is shown whole, in short lines and in one.
  for (const long of ['dispatch.on("tick", () => render());\n'.repeat(27_000), `x("${"y".repeat(1_000_000)}");\n`]) {
    await a.choose("night.zip", theme({ js: long }));
    await a.page.locator(".source .end").waitFor({ state: "attached" });
    assert.equal(await a.page.locator(".source .line").evaluateAll((all) => all.reduce((sum, l) => sum + l.textContent.length, 0)), long.replaceAll("\n", "").length);
    assert.equal(await a.agree().isDisabled(), true);
    await a.read();
    await a.agree().check();
    await a.leave();
  }
  await a.close();
});

test("what is no theme is refused in the service's words; files are dropped; an upload is stopped", async () => {
  const a = await Curator.at(service);
  await a.choose("holiday.zip", Buffer.from("not a zip at all"));
  await a.failed(/zip/);
  await a.choose("empty.zip", zip({ "style.css": "" }));
  await a.failed(/theme\.json/);
  await a.accessible("theme refused");
  await a.choose("bad.zip", theme({ slug: "Night Shift!" }));
  await a.failed(/slug/);
  await a.choose("huge.zip", Buffer.alloc(6_000_000));
  await a.failed("huge.zip is larger than 5.3 MB, more than any theme may be.");

  const drop = async (...files) => {
    const data = await a.page.evaluateHandle((files) => {
      const d = new DataTransfer();
      for (const f of files) d.items.add(new File([Uint8Array.from(atob(f), (c) => c.charCodeAt(0))], "dropped.zip"));
      return d;
    }, files.map((f) => f.toString("base64")));
    await a.page.dispatchEvent("main", "drop", { dataTransfer: data });
  };
  await drop(theme(), theme());
  await a.failed("Drop one zip file at a time.");
  await drop(theme());
  await a.review("Install Night Shift?").waitFor();
  await a.leave();

  let asked;
  const arrived = new Promise((give) => (asked = give));
  await a.page.route("**/admin/api/themes/review", () => asked()); // never answered
  await a.choose("slow.zip", theme({ files: { "big.txt": "x".repeat(1_000_000) } }));
  await arrived;
  await a.page.getByRole("progressbar", { name: "slow.zip" }).waitFor();
  await a.accessible("theme upload");
  await a.button("Cancel").click();
  await a.told("Cancelled. Nothing was installed.");
  await a.page.unrouteAll();
  await a.close(/status of 4\d\d/);
});

test("a theme whose files are gone is listed with what is wrong, and removed", async () => {
  const a = await Curator.at(service);
  await a.add(theme());
  const themes = join(service.data, "themes");
  const [own] = readdirSync(themes).filter((f) => f.startsWith("night-"));
  rmSync(join(themes, own, "style.css"));
  await service.stop();
  await service.start();
  await a.page.reload();
  await a.login();
  await a.view("Themes");
  const broken = a.page.getByRole("table", { name: "Broken themes" });
  await broken.getByRole("row", { name: /Night Shift|night/ }).filter({ hasText: "style.css" }).waitFor();
  await a.accessible("themes broken");
  assert.equal(await installed("night"), undefined);
  await broken.getByRole("button", { name: /^Remove…/ }).click();
  await a.button("Remove theme", a.page.getByRole("dialog")).click();
  await a.told("has been removed.");
  await broken.waitFor({ state: "detached" });
  await a.close(/status of 40[14]|CONNECTION_REFUSED/); // the page may have asked for something while the service was off
});

test("a marketplace's themes are installed and updated through the same review", async () => {
  const own = join(folder, "config.lua");
  writeFileSync(own, `${readFileSync(service.config, "utf8")}\nConfig.themes = { marketplace = ${JSON.stringify(market.url)} }\n`);
  const shop = await Service.start({ config: own });
  try {
    const js = "tick();\n".repeat(200);
    market.offer(
      { slug: "night", version: "1.1", hasJs: true, data: theme({ js, version: "1.1" }) },
      { slug: "calm", name: "Calm", version: "2.0", data: theme({ slug: "calm", name: "Calm", version: "2.0" }) },
      { slug: "spoiled", name: "Spoiled", version: "1.0", data: theme({ slug: "spoiled", name: "Spoiled" }) },
    );
    market.files["spoiled-1.0.zip"] = Buffer.from(market.files["spoiled-1.0.zip"]).fill(0, 40, 44); // not what the index says
    market.status = 503;
    const a = await Curator.at(shop);
    const failed = a.page.getByRole("region", { name: "The marketplace cannot be read" });
    await failed.getByRole("alert").filter({ hasText: "503" }).waitFor();
    await a.accessible("market failed");
    market.status = 200;
    const table = a.page.getByRole("table", { name: "Marketplace" });
    await until("it answers", async () => {
      if (await table.isVisible()) return true;
      const retry = a.button("Retry");
      if (await retry.isVisible()) await retry.click();
      return false;
    });
    await until("the focus stays there", async () => (await a.focused()) === "Marketplace");
    const night = table.getByRole("row").filter({ hasText: "Night Shift" });
    await night.filter({ hasText: "JS" }).filter({ hasText: "Ana Ruiz" }).filter({ hasText: "1.1" }).waitFor();
    await until("its picture came through the service", () => night.locator("img").evaluate((i) => i.complete && i.naturalWidth > 0 && new URL(i.src).origin === location.origin));
    await a.accessible("market");

    await a.button("Install… Calm").click();
    await a.review("Install Calm?").getByText("This theme has no script").waitFor();
    await a.page.keyboard.press("Escape");
    await a.gone();
    await until("the focus returns", async () => (await a.focused()) === "Install… Calm");
    assert.equal(await installed("calm", shop), undefined);
    await a.button("Install… Calm").click();
    await a.install().click();
    await a.told("Calm 2.0 is installed.");
    await table.getByRole("row").filter({ hasText: "Calm" }).filter({ hasText: "Installed" }).waitFor();
    assert.equal(await a.button("Install… Calm").count(), 0);

    await a.add(theme({ js: "older();\n", version: "1.0" }));
    await night.filter({ hasText: "Installed: 1.0" }).waitFor();
    await a.button("Update… Night Shift").click();
    await a.review("Replace Night Shift?").getByText("The script is not the installed one: it has changed.").waitFor();
    assert.equal(await a.install().isDisabled(), true);
    await a.read();
    await a.agree().check();
    await a.install().click();
    await a.told("Night Shift 1.1 is installed.");
    assert.equal((await installed("night", shop)).version, "1.1");

    await a.button("Install… Spoiled").click();
    await a.failed(/spoiled-1\.0\.zip/);
    await until("the focus returns", async () => (await a.focused()) === "Install… Spoiled");
    assert.equal(await installed("spoiled", shop), undefined);
    await a.close(/status of 502/);
  } finally {
    await shop.end();
  }
});

test("without a marketplace the page says how to set one", async () => {
  const a = await Curator.at(service);
  await a.page.getByText("No marketplace is set.").waitFor();
  await a.page.getByText('Config.themes = { marketplace = "https://').waitFor();
  await a.close();
});

for (const [look, options] of [["Day", {}], ["Retro LCD", { viewport: { width: 390, height: 844 } }]])
  test(`the view and its reviews in German, ${look}${options.viewport ? ", on a phone" : ""}`, async () => {
    const a = await Admin.open(browser, service, { locale: "de-DE", ...options });
    await a.field("Farbschema").selectOption(look === "Day" ? "Tag" : "Retro-LCD");
    await a.page.getByLabel("Administratorpasswort").fill(password);
    await a.button("Anmelden").click();
    const sections = a.page.getByRole("navigation", { name: "Bereiche" });
    const menu = sections.getByRole("button", { name: /^Bereich:/ });
    await sections.waitFor();
    if (await menu.isVisible()) await menu.click();
    await sections.getByRole("button", { name: "Themes" }).click();
    const upload = async (data) => {
      const chooser = a.page.waitForEvent("filechooser");
      await a.button("Theme hochladen…").click();
      await (await chooser).setFiles({ name: "night.zip", mimeType: "application/zip", buffer: data });
      await a.page.getByRole("dialog", { name: "Night Shift installieren?" }).waitFor();
    };
    const fits = async (what) => {
      assert.deepEqual(await a.page.evaluate(sideways), [], what);
      await a.accessible(`themes ${look} ${what}`);
    };
    await a.button("Theme hochladen…").waitFor();
    await fits("list");
    await upload(theme({ css: "@import 'https://evil.example/x.css';\n" }));
    await fits("review");
    await a.leave();
    await upload(theme({ js: `/* \u202e */ fetch("x");\n${"tick();\n".repeat(100)}` }));
    await a.page.getByRole("listitem").filter({ hasText: "Zeile 1" }).getByText("kann den Dienst um etwas bitten").waitFor();
    await a.page.getByText("Das Skript handelt als der Disponent").waitFor();
    await fits("script");
    await until("the end is on screen", async () => {
      await a.page.keyboard.press("End");
      return a.page.getByText("Sie sind am Ende des Quelltexts.").isVisible();
    });
    await a.page.getByRole("checkbox", { name: "Ich habe den Quelltext gelesen und vertraue ihm" }).check();
    await fits("read");
    await a.leave();
    await accessible(a.page, "closed");
    await a.close();
  });

test("nobody gets a script in past the review", async () => {
  const js = "run();\n";
  const ask = (path, headers) => fetch(`${service.url}${path}`, { method: "POST", headers: { "Content-Type": "application/zip", ...headers }, body: theme({ js }) });
  const bearer = { Authorization: `Bearer ${masterToken}` };
  for (const path of ["/api/themes/install", "/api/themes/install?js=", `/api/themes/install?js=${sha256("other")}`]) {
    const answer = await ask(path, bearer);
    assert.equal(answer.status, 409, path);
    assert.ok(!(await answer.text()).includes(sha256(js)), "the refusal gives the hash away");
  }
  assert.equal((await ask(`/admin/api/themes/install?js=${sha256(js)}`, {})).status, 401);
  assert.equal(await installed("night"), undefined);
});
