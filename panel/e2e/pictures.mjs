// Pictures of every state of the console: just pictures. They are for people, who look at
// them beside those of the last version.
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const looks = ["night", "day", "contrast", "lcd"];
const densities = ["comfortable", "compact", "dense"];
const sizes = { 1366: [1366, 768], 1440: [1440, 900], 1920: [1920, 1080], 2560: [2560, 1440], 390: [390, 844] };

const help = `Makes pictures of the console into build/pictures, with an index.html.

  just pictures                        all: every state, and the chosen ones in all looks, densities and sizes
  just pictures traffic ended          these states only, in the look, size and language that are given
    --look night|day|contrast|lcd      --density comfortable|compact|dense
    --size 1366|1440|1920|2560|390     --language en|de
  --out FOLDER                         another folder
  --list                               the names of the states`;

const { values: asked, positionals: names } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries([..."look density size language out".split(" ").map((n) => [n, { type: "string" }]), ...["help", "list"].map((n) => [n, { type: "boolean" }])]),
});
if (asked.help) {
  say(help);
  process.exit(0);
}
// Not before: help needs no browser and no packages.
const { Stage } = await import("./simulated.mjs");
const { begin, frequency, pages, reach, states } = await import("./states.mjs");
if (asked.list) for (const s of states) say(`${s.name.padEnd(20)} ${s.about}`);
else await make();

function say(words) {
  process.stdout.write(`${words}\n`);
}

function fail(why) {
  process.stderr.write(`${why}\n`);
  process.exit(2);
}

/** What pictures are made of: [states, how, whether only the state itself is wanted]. */
function jobs() {
  const size = (name) => ({ width: sizes[name][0], height: sizes[name][1] });
  const job = (names, { look = "night", density = "comfortable", language = "en", window } = {}) => ({ names, window, settings: { look, density, language }, size: window && size(window) });
  if (names.length > 0 || asked.look || asked.density || asked.size || asked.language) return [job(names, { ...asked, window: asked.size })];
  return [
    job([]),
    ...looks.filter((l) => l !== "night").map((look) => job(["rest", "traffic", "ended", "phone"], { look })),
    ...looks.flatMap((look) => densities.slice(1).map((density) => job(["traffic"], { look, density }))),
    ...looks.flatMap((look) => ["1366", "1920", "2560"].map((window) => job(["traffic"], { look, window }))),
    ...["1366", "2560"].map((window) => job(["rest"], { window })),
    job(["rest", "traffic", "ended", "close-form", "drawer", "settings", "first-microphone", "login", "phone", "phone-sheet"], { language: "de" }),
    job(["traffic"], { language: "de", window: "1366" }),
  ];
}

async function make() {
  for (const [what, all] of [["look", looks], ["density", densities], ["size", Object.keys(sizes)], ["language", ["en", "de"]]])
    if (asked[what] && !all.includes(asked[what])) fail(`--${what}: ${asked[what]} is none of ${all.join(", ")}`);
  for (const n of names) if (!states.some((s) => s.name === n)) fail(`no state is called ${n}: --list says which there are`);
  const folder = resolve(asked.out ?? fileURLToPath(new URL("../../build/pictures", import.meta.url)));
  if (!asked.out && existsSync(folder)) rmSync(folder, { recursive: true });
  mkdirSync(join(folder, "cards"), { recursive: true });
  const all = jobs().flatMap((j) => pages(j.names).map((page) => ({ ...j, page })));
  const total = all.reduce((n, { page, names }) => n + page.filter((s) => names.length === 0 || names.includes(s.name)).length, 0);
  const done = [];
  const missed = [];
  const cards = [];
  const ends = [];
  const stage = await Stage.build({ after: (end) => ends.push(end) });
  for (const { page, names, settings, size } of all) {
    let desk;
    try {
      for (const state of page) {
        if (!state.goesOn) desk = await begin(stage, state, { settings, size });
        await reach(desk, state);
        if (names.length === 0 || names.includes(state.name)) {
          const { width, height } = desk.page.viewportSize();
          const name = `${[state.name, width, ...Object.values(settings).filter((v) => !["night", "comfortable", "en"].includes(v))].join("-")}.png`;
          await desk.page.screenshot({ path: join(folder, name) });
          done.push({ name, about: state.about, width, height, settings });
          say(`${String(done.length + missed.length).padStart(3)} of ${total}  ${name}`);
          if (width === 1440 && settings.density === "comfortable") cards.push(...(await shoot(desk, state, settings, folder)));
        }
        await state.leave?.(desk);
      }
    } catch (e) {
      missed.push(page[0].name);
      say(`  -  ${page.map((s) => s.name).join(", ")}: ${e.message}`);
    }
    await desk?.close();
  }
  for (const end of ends.reverse()) await end();
  writeFileSync(join(folder, "index.html"), index(done, cards));
  say(`${done.length} pictures: ${join(folder, "index.html")}`);
  if (missed.length > 0) process.exitCode = 1;
}

/** The cards by themselves, with the frame that an emergency draws around its own. */
async function shoot(desk, state, settings, folder) {
  const made = [];
  for (const [what, channel] of Object.entries(state.cards ?? {})) {
    const box = await desk.page.locator(`[data-part=channel-card][data-frequency="${frequency(channel)}"]`).boundingBox();
    const name = `cards/${what.replaceAll(/\W+/g, "-")}-${Object.values(settings).join("-")}.png`;
    await desk.page.screenshot({ path: join(folder, name), clip: { x: box.x - 5, y: box.y - 5, width: box.width + 10, height: box.height + 10 } });
    made.push({ name, what, ...settings });
  }
  return made;
}

function index(done, cards) {
  const figure = ({ name, about, width, height }) => `<figure><a href="${name}"><img loading="lazy" src="${name}" width="${width}" height="${height}" alt=""></a><figcaption>${name.slice(0, -4)} – ${about}</figcaption></figure>`;
  const sheet = (look) => {
    const those = cards.filter((c) => c.look === look && c.language === "en");
    return those.length === 0 ? "" : `<h3>${look}</h3><div class="cards" style="background:${{ night: "#0b0d10", day: "#ccd1d7", contrast: "#000", lcd: "#8f9f70" }[look]}">${those.map((c) => `<figure><img loading="lazy" src="${c.name}" alt=""><figcaption>${c.what}</figcaption></figure>`).join("")}</div>`;
  };
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Squelch: pictures of the console</title>
<style>body{font:14px system-ui,sans-serif;margin:1rem;background:#888;color:#000}figure{margin:0}img{max-width:100%;height:auto;display:block}figcaption{padding:.25rem 0 .75rem}
.all{display:grid;grid-template-columns:repeat(auto-fill,minmax(34rem,1fr));gap:1rem}.cards{display:flex;flex-wrap:wrap;gap:.5rem;padding:.5rem}.cards figcaption{color:#999}</style>
<h1>Squelch: pictures of the console</h1><h2>Cards</h2>${looks.map(sheet).join("")}<h2>States</h2><div class="all">${done.map(figure).join("\n")}</div></html>
`;
}
