// A resource's page, seen from the game: what the client posts to it, and what it posts
// back. A test stands behind it as an object, or a real browser does.
import path from "node:path";

const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".wasm": "application/wasm", ".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".ogg": "audio/ogg" };

export class Page {
  messages = []; // that reached it
  lost = 0; // messages that were sent before it listened
  focus = { keyboard: false, cursor: false, keepInput: false };
  #listener = null;
  #callbacks = new Map(); // name -> how to call it

  constructor(client, manifest) {
    Object.assign(this, { client, manifest });
  }

  /** listen is the page's own listener: what comes before it is lost, as in the game. */
  listen(listener = () => {}) {
    this.#listener = listener;
  }

  deliver(json) {
    if (!this.#listener) {
      this.lost++;
      return;
    }
    const message = JSON.parse(json);
    this.messages.push(message);
    if (this.messages.length > 2000) this.messages.splice(0, 1000);
    this.#listener(message);
  }

  offer(name, call) {
    this.#callbacks.set(name, call);
  }

  withdraw() {
    this.#callbacks.clear();
  }

  /** post is the page's fetch(`https://radio/${name}`): it waits until the script answers. */
  post(name, data = {}, { from = this.manifest.name } = {}) {
    if (from !== this.manifest.name && this.manifest.one("nui_callback_strict_mode") === "true") {
      return Promise.reject(new Error(`${from} may not call ${this.manifest.name}'s callbacks`));
    }
    const call = this.#callbacks.get(name);
    if (!call) return Promise.reject(new Error(`no NUI callback ${name} in ${this.manifest.name}`));
    const body = JSON.parse(JSON.stringify(data)); // what cannot be JSON does not arrive
    return new Promise((resolve) => {
      let answered = false;
      const answer = (value) => {
        if (answered) this.client.console.print(this.manifest.name, `SCRIPT ERROR: NUI callback ${name} was answered twice`);
        answered = true;
        resolve(value);
      };
      this.client.later(() => call(body, this.client.reference(answer)));
    });
  }

  /** file is what a request for https://cfx-nui-RESOURCE/file gets, or nothing. */
  file(file) {
    if (!this.manifest.clientFiles().has(file)) return null;
    return { type: types[path.extname(file)] ?? "application/octet-stream", body: this.manifest.read(file) };
  }
}
