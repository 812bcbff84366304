// A web server that knows nothing of radios: it serves the files of a folder, and
// notes what it was asked for.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";

/** WebAssembly has no type here, because many servers do not know it. */
const types = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".webmanifest": "application/manifest+json",
};

export class StaticServer {
  /** What was asked for: method, path, and the status of the answer. */
  requests = [];
  url = "";
  #server;

  /** under: the path under which the files are; there is nothing else on the server. */
  static async start(folder, under = "/") {
    const s = new StaticServer();
    s.#server = createServer((request, response) => void s.#answer(folder, under, request, response));
    await new Promise((give) => s.#server.listen(0, "127.0.0.1", give));
    s.url = `http://127.0.0.1:${s.#server.address().port}`;
    return s;
  }

  async #answer(folder, under, request, response) {
    const path = decodeURIComponent(new URL(request.url, "http://here").pathname); // without "..", as browsers and URL have it
    const name = path.endsWith("/") ? `${path}index.html` : path;
    let status = 405;
    let body = "";
    if (request.method === "GET") {
      body = name.startsWith(under) ? await readFile(join(folder, normalize(name.slice(under.length - 1)))).catch(() => null) : null;
      status = body === null ? 404 : 200;
    }
    this.requests.push({ method: request.method, path, status });
    response.writeHead(status, status === 200 ? { "content-type": types[extname(name)] ?? "application/octet-stream" } : {});
    response.end(body ?? "");
  }

  close() {
    this.#server.closeAllConnections();
    return new Promise((give) => this.#server.close(give));
  }
}
