// The radio service as the game server sees it, which does what the test says: for
// refusals, outages and restarts that the real one does not give on demand. It keeps a log
// of changes as the service does; what the requests do to the radio is the test's.
import http from "node:http";

const master = "master-token";

const channel = (name, type, frequency, more) => ({
  id: frequency, name, type, frequency, allowedNacs: ["LSPD"], scanAllowedNacs: [], gps: { color: "#3b82f6", visibleToNacs: [] },
  canTransmit: true, listeners: 0, users: [], ...more,
});

export const config = {
  resourceName: "radio", useCallsignSystem: true, callbacks: [], version: "5.7.0", hash: "1",
  zones: [
    { id: "zone-1", name: "Los Santos", nacIds: ["LSPD"], channels: [channel("LSPD DISP", "conventional", "154.755"), channel("TRUNK", "trunked", "856.1125")] },
    { id: "zone-2", name: "Blaine County", nacIds: [], channels: [channel("BCSO DISP", "digital", "460.25", { display: "460.250", allowedNacs: ["BCSO"] })] },
  ],
  alerts: [{ name: "SIGNAL 100", color: "#d01c1c", isPersistent: true }, { name: "Ping", isPersistent: false }],
  tones: [{ name: "BEEP", file: "beep.ogg" }],
};

export class FakeService {
  config = structuredClone(config);
  users = new Map();
  alerts = {};
  requests = []; // { method, path, body }, the endless question left out
  carriedOut = []; // of POST /api/game/do, each once
  positions = [];
  registered = new Map(); // id -> what was sent last
  tokens = new Map();
  callbacks = null; // { file, source, names }
  polls = 0;
  refuse = {}; // action -> why
  cut = 0; // answers to be lost after the request was carried out
  down = false; // refuse every connection
  status = 0; // answer everything with it
  nodes = ""; // other nodes that it names
  name = ""; // of this one's epochs, if there are several
  #log = [];
  #seq = 0;
  #first = 1; // oldest in the log
  #epoch = 1;
  #waiting = new Set();
  #answers = new Map(); // request id -> result
  #lastToken = 0;

  async open(port = 0) {
    this.server = http.createServer((request, reply) => {
      const parts = [];
      request.on("data", (part) => parts.push(part));
      request.on("end", () => this.#answer(request, reply, Buffer.concat(parts).toString()));
    });
    this.server.on("connection", (socket) => this.down && socket.destroy());
    await new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    return this;
  }

  get serverCfg() {
    return `set radio_token "${master}"\nset radio_url "${this.url}/"\nadd_convar_permission radio read radio_token`;
  }

  user(serverId, more = {}) {
    const user = {
      serverId, name: `Player ${serverId}`, nacId: null, callsign: null, access: true, connected: true, channel: null, listening: [], talking: [],
      panic: [], aces: { connect: false, scan: false, gps: false, zones: false, dispatch: false }, subscriber: null, class: 0, radio: { power: true }, ...this.users.get(serverId), ...more,
    };
    this.users.set(serverId, user);
    this.change({ type: "user", ...user });
  }

  gone(serverId) {
    this.users.delete(serverId);
    this.change({ type: "gone", serverId });
  }

  /** change logs what has happened and answers who waits for it. */
  change(change) {
    this.#log.push({ seq: ++this.#seq, ...change });
    for (const answer of [...this.#waiting]) answer();
    return this.#seq;
  }

  /** overrun forgets the log, as a full ring does. */
  overrun() {
    this.#log = [];
    this.#first = this.#seq + 1;
  }

  /** restart begins a new epoch: connections end, the log is empty, tokens are kept. */
  restart() {
    this.#epoch++;
    this.#seq = 0;
    this.#log = [];
    this.#first = 1;
    this.#answers.clear();
    this.registered.clear();
    this.server.closeAllConnections();
  }

  get seq() {
    return this.#seq;
  }

  sent(path) {
    return this.requests.filter((each) => each.path === path).map((each) => each.body);
  }

  close() {
    this.server.closeAllConnections();
    this.server.close();
  }

  #answer(request, reply, text) {
    const url = new URL(request.url, this.url);
    if (this.down) return request.socket.destroy();
    const json = (body, status = 200) => reply.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    const refuse = (status, error) => json({ success: false, error }, status);
    if (request.headers.authorization !== `Bearer ${master}`) return refuse(401, "Authentication required");
    if (this.status) return refuse(this.status, "as the test says");
    if (url.pathname === "/api/game/changes") return this.#changes(url, reply);
    const body = text ? JSON.parse(text) : undefined;
    this.requests.push({ method: request.method, path: url.pathname, body });
    switch (`${request.method} ${url.pathname}`) {
      case "POST /api/game/do": {
        const results = body.requests.map((each) => this.#do(each));
        if (this.cut > 0) {
          this.cut--;
          return request.socket.destroy();
        }
        return json({ results });
      }
      case "POST /api/game/players":
        return json(this.#players(body));
      case "POST /api/player/drop":
        this.registered.delete(body.serverId);
        if (this.users.has(body.serverId)) this.gone(body.serverId);
        return json({ success: true });
      case "POST /api/game/positions":
        this.positions = body;
        return json({ success: true });
      case "POST /api/game/webrtc":
        return json({ success: true, sdp: `v=0 answer for ${body.serverId}` });
      case "GET /api/game/callbacks":
        return this.callbacks ? json(this.callbacks) : refuse(404, "No callback needs the game");
    }
    refuse(404, "No such route");
  }

  #changes(url, reply) {
    this.polls++;
    reply.writeHead(200, { "Content-Type": "application/json", ...(this.nodes ? { "Squelch-Nodes": this.nodes } : {}) });
    reply.write(" ");
    const since = url.searchParams.has("since") ? Number(url.searchParams.get("since")) : null;
    const epoch = `epoch ${this.name}${this.#epoch}`;
    // Whether the log still reaches back that far is looked at when the answer goes out.
    const answer = () => {
      this.#waiting.delete(wake);
      clearTimeout(end);
      if (since === null || url.searchParams.get("epoch") !== epoch || since > this.#seq || since < this.#first - 1) {
        const state = { config: this.config, classes: [{ connect: [], scan: [], zones: [] }], users: [...this.users.values()], alerts: this.alerts, patches: [] };
        return reply.end(JSON.stringify({ epoch, next: this.#seq, reset: true, state }));
      }
      reply.end(JSON.stringify({ epoch, next: this.#seq, changes: this.#log.filter(({ seq }) => seq > since) }));
    };
    const end = setTimeout(answer, Number(url.searchParams.get("wait")) * 1000);
    let gathering = false;
    const wake = () => {
      if (gathering) return;
      gathering = true;
      setTimeout(answer, Number(url.searchParams.get("gather")));
    };
    this.#waiting.add(wake);
    reply.on("close", () => (this.#waiting.delete(wake), clearTimeout(end)));
    if (since === null || url.searchParams.get("epoch") !== epoch) answer();
    else if (this.#seq !== since) wake();
  }

  #do({ id, ...request }) {
    if (this.#answers.has(id)) return this.#answers.get(id);
    this.carriedOut.push(request);
    const why = this.refuse[request.do];
    const result = why ? { id, ok: false, error: why, code: 409 } : { id, ok: true, seq: this.acted?.(request) ?? this.#seq, reply: request.do === "event" ? { success: true } : undefined };
    this.#answers.set(id, result);
    return result;
  }

  #players({ replace, keepTokens, players }) {
    if (replace) {
      const listed = new Set(players.map(({ serverId }) => serverId));
      for (const id of this.users.keys()) if (id > 0 && !listed.has(id)) this.gone(id);
      this.registered.clear();
    }
    const tokens = {};
    for (const player of players) {
      this.registered.set(player.serverId, player);
      if (!keepTokens || !this.tokens.has(player.serverId)) {
        this.tokens.set(player.serverId, (tokens[player.serverId] = `token ${++this.#lastToken}`));
      }
      this.user(player.serverId, { name: player.callbackName || player.name, nacId: player.callbackNac || player.aces.nac || null, access: player.access ?? true, aces: player.aces });
    }
    return { success: true, tokens, errors: {} };
  }
}
