// The page of the game in a browser, at the address that it has there: the game's own
// 103, or today's Chromium. What it needs of a browser is here; the game around it is in
// game.mjs.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { certificate } from "./certificate.mjs";
import { start } from "./chromium103.mjs";
import { listen } from "./ears.mjs";

const built = fileURLToPath(new URL("../../../server/resource/radio/nui/", import.meta.url));
/** Where the page is in the game, and where its callbacks go. */
const page = { host: "cfx-nui-radio", folder: "/nui/" };
const callbacks = "radio";
const types = { html: "text/html", js: "application/javascript", css: "text/css" };
const size = { width: 1280, height: 900 };

/** fromDisk is a file of the page as it was built: {type, body}, or nothing. */
function fromDisk(name) {
  const file = join(built, name.slice(page.folder.length));
  return existsSync(file) ? { type: types[name.split(".").pop()], body: readFileSync(file) } : null;
}

/** serve is the game's scheme handler: the page's files, and Lua's answers to callbacks. It returns the port. */
async function serve(t, called, fileOf) {
  const server = createServer(certificate(page.host), (request, response) => {
    const { host } = request.headers;
    const name = request.url.split("?")[0];
    if (host === page.host) {
      if (name === "/favicon.ico") return response.writeHead(204).end(); // browsers outside the game ask for one
      const file = /^\/nui\/[a-z.]+$/.test(name) ? fileOf(name) : null;
      response.writeHead(file ? 200 : 404, { "content-type": file?.type ?? "text/plain", "cache-control": "no-cache" });
      return response.end(file?.body ?? "");
    }
    let body = "";
    request.on("data", (d) => (body += d));
    request.on("end", async () => {
      const result = host === callbacks ? await called(name.slice(1), JSON.parse(body || "null")) : undefined;
      response.writeHead(result === undefined ? 404 : 200, { "content-type": "application/json", "access-control-allow-origin": "*" });
      response.end(JSON.stringify(result ?? {}));
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => (server.closeAllConnections(), server.close()));
  return server.address().port;
}

/** The game's own flags, names that lead here, and a microphone that hears a file. */
const flags = (wav, port) => [
  "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--disable-web-security", "--autoplay-policy=no-user-gesture-required", "--ignore-certificate-errors",
  `--host-resolver-rules=MAP ${page.host} 127.0.0.1:${port},MAP ${callbacks} 127.0.0.1:${port},MAP radio.test 127.0.0.1`,
  "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream", `--use-file-for-fake-audio-capture=${wav}`,
];

const kinds = {
  async 103(args) {
    const { browser, page: tab } = await start(args, size);
    await tab.evaluateOnNewDocument(listen);
    return { browser, tab, version: await browser.version() };
  },
  async today(args) {
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", headless: false, args: ["--headless=new", ...args] });
    const tab = await browser.newPage({ viewport: size });
    await tab.addInitScript(listen);
    return { browser, tab, version: browser.version() };
  },
};

/**
 * open starts a browser with the page; called gets its NUI callbacks, and returns the
 * answers: undefined is none. fileOf has the page's files by their path.
 */
export async function open(t, kind, wav, called, fileOf = fromDisk) {
  if (!existsSync(join(built, "index.html"))) throw new Error("the page of the game is not built: run 'just panel'");
  const port = await serve(t, called, fileOf);
  const { browser, tab, version } = await kinds[kind](flags(wav, port));
  t.after(() => browser.close());
  const complaints = [];
  tab.on("pageerror", (e) => complaints.push(String(e)));
  tab.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
  const address = `https://${page.host}${page.folder}index.html`;
  await tab.goto(address);
  return { tab, version, complaints, address };
}
