// Looks on a page that is already open: what is measured in all of them needs no page of its own for each.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const looks = ["night", "day", "contrast", "lcd"];

const assets = fileURLToPath(new URL("../dist/assets", import.meta.url));

/** Gives a page the style sheet of a look and wears it, as the console does when it is chosen. */
export async function wear(page, look) {
  const sheet = readdirSync(assets).find((f) => f.startsWith(`${look}-`) && f.endsWith(".css"));
  if (!sheet && look !== "night") throw new Error(`there is no style sheet of ${look} in ${assets}`);
  await page.evaluate(async ([look, sheet]) => {
    const href = sheet && new URL(`assets/${sheet}`, document.baseURI).href;
    if (href && ![...document.styleSheets].some((s) => s.href === href)) {
      const link = Object.assign(document.createElement("link"), { rel: "stylesheet", href });
      document.head.append(link);
      await new Promise((there, missing) => ((link.onload = there), (link.onerror = missing)));
    }
    document.documentElement.dataset.look = look;
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  }, [look, sheet]);
}
