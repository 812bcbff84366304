// A county with its radio: REST, and clients that remember all they hear. Nothing here measures
// time: clients wait for events, and patience only ends a test that would wait forever.
import { io } from "socket.io-client";

export const MASTER = "master-token-of-the-county";
export const NAC = "D-911";
const ADMIN_PASSWORD = "county-admin";
const patience = Number(process.env.PATIENCE ?? 120_000); // ms, for a machine that does ten things at once

export function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => (timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), patience)));
  timer.unref(); // what nobody waits for any more does not keep the process
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const matches = (want, got) =>
  want === undefined ||
  (typeof want === "function" ? Boolean(want(got))
    : want && typeof want === "object" ? Boolean(got) && typeof got === "object" && Object.entries(want).every(([k, v]) => matches(v, got[k]))
      : want === got);

/** Client is one socket and everything it has heard, in order. */
export class Client {
  heard = []; // {event, arg}
  closed = []; // reasons
  #taken = new Set();
  #waiting = [];

  constructor(url, transport, auth, options = {}) {
    this.socket = io(url, {
      transports: transport === "upgrade" ? ["polling", "websocket"] : [transport],
      upgrade: transport === "upgrade",
      forceNew: true,
      reconnection: false,
      auth,
      ...options,
    });
    this.id = auth.serverId;
    this.socket.onAny((event, ...args) => this.#hear(event, args[0]));
    this.socket.on("disconnect", (reason) => {
      this.closed.push(reason);
      this.#hear("disconnect", reason);
    });
    this.socket.on("connect", () => {
      if (!this.socket.recovered) this.id = auth.serverId; // until "identity" says otherwise
      this.#hear("connect");
    });
    this.socket.on("connect_error", (error) => this.#hear("connect_error", error));
  }

  #hear(event, arg) {
    if (event === "identity") this.id = arg.serverId;
    this.heard.push({ event, arg });
    for (const look of [...this.#waiting]) look();
  }

  /** next returns the first matching event of that name that has not been returned yet. */
  next(event, want) {
    return within(
      new Promise((resolve) => {
        const look = () => {
          const at = this.heard.findIndex((h, i) => h.event === event && !this.#taken.has(i) && matches(want, h.arg));
          if (at < 0) return;
          this.#taken.add(at);
          this.#waiting = this.#waiting.filter((l) => l !== look);
          resolve(this.heard[at].arg);
        };
        this.#waiting.push(look);
        look();
      }),
      `${event} ${JSON.stringify(want) ?? ""} by ${this.id}; heard: ${JSON.stringify(this.heard).slice(-1500)}`,
    );
  }

  all(event, want) {
    return this.heard.filter((h) => h.event === event && matches(want, h.arg)).map((h) => h.arg);
  }

  /** forget drops everything that was heard so far. */
  forget() {
    for (let i = 0; i < this.heard.length; i++) this.#taken.add(i);
    this.since = this.heard.length;
  }

  ask(event, ...args) {
    return within(this.socket.emitWithAck(event, ...args), `the answer to ${event}`);
  }

  async must(event, ...args) {
    const answer = await this.ask(event, ...args);
    if (answer.success !== true) throw new Error(`${event} ${JSON.stringify(args)}: ${JSON.stringify(answer)}`);
  }

  /** denied keys up on a channel while another user holds the floor. */
  async denied(currentTalker, talking = true) {
    const answer = await this.ask("setTalking", talking);
    const want = { success: false, error: "The channel is busy", currentTalker };
    if (!matches(want, answer)) throw new Error(`setTalking ${JSON.stringify(talking)}: ${JSON.stringify(answer)}`);
  }

  emit(event, ...args) {
    this.socket.emit(event, ...args);
    return this;
  }

  /** upToDate returns when everything that was sent to this client before has arrived. */
  async upToDate() {
    const beat = this.next("heartbeat_response");
    this.emit("heartbeat", Date.now());
    await beat;
  }

  async ready() {
    const first = await Promise.race([
      this.next("connect").then(() => null),
      this.next("connect_error").catch((e) => e),
    ]);
    if (first) throw first;
    const { engine } = this.socket.io;
    if (this.socket.io.opts.upgrade && engine.transport.name !== "websocket") {
      await within(new Promise((resolve) => engine.once("upgrade", resolve)), "the upgrade");
    }
    await this.upToDate(); // whatever the service says first has arrived
    return this;
  }

  /** cut breaks the connection without a goodbye. */
  async cut() {
    const down = this.next("disconnect");
    const { engine } = this.socket.io;
    if (engine.transport.name === "websocket") engine.transport.ws.terminate?.() ?? engine.transport.ws.close();
    else engine.transport.doClose = () => {}, engine.transport.onError("cut", new Error("cut"));
    await down;
  }

  async leave() {
    if (!this.socket.connected) return void this.socket.disconnect();
    const down = this.next("disconnect");
    this.socket.disconnect();
    await down;
  }
}

/** Radio is the service under one address. */
export class Radio {
  clients = [];

  constructor(url, transport) {
    Object.assign(this, { url, transport });
  }

  async post(path, body, session, token = session?.authToken) {
    return this.#rest("POST", path, session, token, JSON.stringify(body));
  }

  async get(path, session) {
    return (await this.#rest("GET", path, session, session?.authToken)).body;
  }

  async #rest(method, path, session, token, body) {
    const headers = { "content-type": "application/json" };
    if (token) headers.authorization = `Bearer ${token}`;
    if (session) headers["x-session-id"] = session.sessionId;
    const reply = await fetch(this.url + path, { method, headers, body });
    return { status: reply.status, body: await reply.json() };
  }

  async does(path, body, session) {
    const reply = await this.post(path, body, session);
    if (reply.status >= 300 || reply.body.success !== true) throw new Error(`${path}: ${reply.status} ${JSON.stringify(reply.body)}`);
    return reply.body;
  }

  async login(callsign) {
    const { body } = await this.post("/radio/dispatch/auth", { nacId: NAC, callsign });
    if (!body.success) throw new Error(`login: ${JSON.stringify(body)}`);
    return { sessionId: body.sessionId, authToken: body.authToken };
  }

  /** reauth gets a new session for a known token. */
  async reauth(token, callsign) {
    const { status, body } = await this.post("/radio/dispatch/reauth", { callsign }, undefined, token);
    if (status !== 200) throw new Error(`reauth: ${status} ${JSON.stringify(body)}`);
    return { sessionId: body.sessionId, authToken: body.authToken };
  }

  dial(auth, options) {
    const client = new Client(this.url, this.transport, auth, options);
    this.clients.push(client);
    return client;
  }

  /** dispatcher logs in and connects with the session. */
  async dispatcher(serverId, callsign = `D${-serverId}`, session = undefined) {
    session ??= await this.login(callsign);
    const client = await this.dial({ ...session, serverId }).ready();
    client.session = session;
    return client;
  }

  async announce(serverId, name, more = {}) {
    const { status, body } = await this.post("/api/player/connect", { serverId, name, nacId: "PD", ...more }, undefined, MASTER);
    if (status !== 200) throw new Error(`announce: ${status} ${JSON.stringify(body)}`);
    return body.playerToken;
  }

  async player(serverId, name = `Unit ${serverId}`, more = {}) {
    const token = await this.announce(serverId, name, more);
    const client = await this.dial({ authToken: token, serverId }).ready();
    client.token = token;
    return client;
  }

  async tuned(client, frequency) {
    await client.must("setSpeakerChannel", frequency);
    await client.upToDate();
    return client;
  }

  /** admin makes a call of the administration; it logs in once for all scenarios. */
  async admin(method, path, body) {
    Radio.#admin ??= this.#adminLogin();
    const reply = await fetch(`${this.url}/admin/api/${path}`, { method, headers: await Radio.#admin, body: JSON.stringify(body) });
    const said = await reply.json();
    if (!reply.ok) throw new Error(`admin ${path}: ${reply.status} ${JSON.stringify(said)}`);
    return said;
  }
  static #admin;

  async #adminLogin() {
    const body = JSON.stringify({ password: ADMIN_PASSWORD });
    const reply = await fetch(`${this.url}/admin/api/login`, { method: "POST", headers: { "content-type": "application/json" }, body });
    const { csrfToken } = await reply.json();
    return { "content-type": "application/json", "x-csrf-token": csrfToken, cookie: reply.headers.get("set-cookie").split(";")[0] };
  }

  async apiKey(name, scopes) {
    return this.admin("POST", "keys", { name, scopes });
  }

  /** clear ends every client and waits until the radio has forgotten them. */
  async clear(session) {
    await Promise.all(this.clients.map((c) => c.leave()));
    const players = new Set(this.clients.map((c) => c.id).filter((id) => id > 0));
    for (const serverId of players) await this.post("/api/player/drop", { serverId }, undefined, MASTER);
    this.clients = [];
    for (const { id } of (await this.get("/api/patches", session)).patches) await this.does("/api/patch/remove", { id }, session);
    await within(
      (async () => {
        while (Object.keys((await this.get("/radio/dispatch/status", session)).users).length > 0);
      })(),
      "an empty radio",
    );
  }
}
