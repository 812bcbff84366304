// Pictures of the built-in themes: node e2e/theme-pictures.mjs makes the preview.png of
// each, and with --all, into build/themes, each in all looks and sizes, for people who look
// at them. The panel has to be built, and SQUELCH_BIN has to name the program.
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { looks, wear } from "./looks.mjs";
import { Stage } from "./simulated.mjs";
import { begin, reach, states } from "./states.mjs";
import { smaller } from "./png.mjs";

const root = fileURLToPath(new URL("../../", import.meta.url));
const builtin = join(root, "themes/builtin");
const all = process.argv.includes("--all");
const asked = process.argv.slice(2).filter((a) => !a.startsWith("-"));
/** No theme's picture is larger: it is part of every program, bytes. */
const most = 150_000;
const preview = { width: 1280, height: 720 };
const sizes = { patrol: [[1024, 768], [768, 1024], [390, 844]] };
const desks = [[1366, 768], [1920, 1080], [390, 844]];

const slugs = readdirSync(builtin, { withFileTypes: true }).filter((e) => e.isDirectory() && (asked.length === 0 || asked.includes(e.name))).map((e) => e.name);
const ends = [];
const stage = await Stage.build({ after: (end) => ends.push(end) });
try {
  for (const slug of slugs) await (all ? every(slug) : one(slug));
} finally {
  for (const end of ends.reverse()) await end();
}

/** A state of the catalogue with a theme, in a window. */
async function open(slug, name, size) {
  const state = states.find((s) => s.name === name);
  const desk = await begin(stage, state, { settings: { theme: slug }, size });
  await desk.page.locator(`:root.theme-${slug} [data-part=theme-container] *`).first().waitFor();
  await reach(desk, { ...state, shows: [] });
  return desk;
}

async function one(slug) {
  const desk = await open(slug, "traffic", preview);
  const picture = smaller(await desk.page.screenshot());
  if (picture.length > most) throw new Error(`${slug}: its picture has ${picture.length} bytes, and may have ${most}`);
  writeFileSync(join(builtin, slug, "preview.png"), picture);
  process.stdout.write(`${slug}: ${picture.length} bytes\n`);
}

async function every(slug) {
  const folder = join(root, "build/themes");
  mkdirSync(folder, { recursive: true });
  for (const [width, height] of sizes[slug] ?? desks)
    for (const name of ["traffic", "rest", "no-link", "ended"]) {
      const desk = await open(slug, name, { width, height });
      for (const look of looks) {
        await wear(desk.page, look);
        await desk.page.screenshot({ path: join(folder, `${slug}-${name}-${width}-${look}.png`) });
      }
    }
  process.stdout.write(`${slug}: ${folder}\n`);
}
