// Chromium 103, the version of the game's browser: it comes packed for a cloud service,
// and is unpacked once beside its package.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliDecompressSync } from "node:zlib";
import puppeteer from "puppeteer-core";

const modules = fileURLToPath(new URL("node_modules/", import.meta.url));
const packed = join(modules, "@sparticuz/chrome-aws-lambda/bin");
const folder = join(modules, ".chromium103");
/** One start in five fails to open its page. */
const starts = 5;

function unpack() {
  if (existsSync(folder)) return;
  if (!existsSync(packed)) throw new Error(`there is no Chromium 103 in ${packed}: run 'just deps'`);
  mkdirSync(modules, { recursive: true });
  const made = mkdtempSync(`${folder}-`);
  writeFileSync(join(made, "chromium"), brotliDecompressSync(readFileSync(join(packed, "chromium.br"))), { mode: 0o755 });
  for (const part of ["aws", "swiftshader"]) {
    const tar = join(made, `${part}.tar`);
    writeFileSync(tar, brotliDecompressSync(readFileSync(join(packed, `${part}.tar.br`))));
    execFileSync("tar", ["-xf", tar, "-C", made]);
    rmSync(tar);
  }
  try {
    renameSync(made, folder); // whole or not at all: tests may run beside each other
  } catch (e) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw e;
  }
}

/** start returns a page of Chromium 103, and what closes it. */
export async function start(args, { width, height }) {
  unpack();
  for (let left = starts; ; left--) {
    const browser = await puppeteer.launch({
      executablePath: join(folder, "chromium"),
      args: [...args, "--headless", "--no-zygote", "--hide-scrollbars"],
      ignoreDefaultArgs: ["--mute-audio"],
      env: { ...process.env, LD_LIBRARY_PATH: join(folder, "lib") },
      defaultViewport: { width, height },
    });
    try {
      return { browser, page: await browser.newPage() };
    } catch (e) {
      await browser.close();
      if (left <= 1) throw e;
    }
  }
}
