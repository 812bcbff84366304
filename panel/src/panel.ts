import { t } from "./i18n/language.svelte";
import type { RadioEvent } from "./state/event";
import { applyEvent } from "./state/event";
import { heard } from "./state/desk";
import { deskKey, readDesk } from "./state/memory";
import { addNotice } from "./state/notification";
import { applyConfig, applyStatus } from "./state/status";
import { healthOf, initial, type State } from "./state/state";
import { Store } from "./state/store.svelte";
import { Sound } from "./sound";
import { type Link, type LinkEvents, Refusal } from "./link/link";
import { ask } from "./link/rest";
import { type Credentials, keepSession, keptSession } from "./link/session";

/** How often the health is looked at, ms. */
const healthEvery = 1_000;
/** Wait before the state is asked for again after that failed, ms. */
const loadAgain = 2_000;

/** Modules that follow the radio without drawing it: PTT and sound. */
export interface Follower {
  event?(e: RadioEvent): void;
  connected?(): void;
  disconnected?(): void;
}

/** The panel without its view: what actions work on. */
export class Panel {
  readonly store = new Store();
  readonly link: Link;
  readonly sound: Sound;
  readonly followers: Follower[] = [];
  #answered = 0;
  #held: RadioEvent[] | null = null;

  /** memory keeps the session and the desk: the browser's own, or one apart for a simulation. */
  constructor(
    make: (on: LinkEvents) => Link,
    readonly memory: Storage,
  ) {
    this.link = make({
      connected: (me) => this.#connected(me),
      disconnected: () => this.#disconnected(),
      event: (e) => this.#event(e),
      heartbeat: (ms) => this.#heartbeat(ms),
      renewed: (c) => keepSession(this.memory, c),
      loggedOut: () => this.#loggedOut(),
      barred: (barred) => this.session({ barred }),
      degraded: (degraded) => this.session({ degraded }),
    });
    this.store.change((s) => ({ ...s, desk: readDesk(memory.getItem(deskKey)) }));
    this.store.watch((now, before) => {
      if (now.desk !== before.desk) memory.setItem(deskKey, JSON.stringify(now.desk));
    });
    this.sound = new Sound(this);
    this.followers.push(this.sound);
    setInterval(() => this.#look(), healthEvery);
  }

  /** Takes up the session that is kept, or shows the login. */
  async boot(): Promise<void> {
    const { hash } = location;
    const external = hash && (await import("./link/fragment").then((m) => m.fromFragment(hash, document.cookie, Date.now()), () => null));
    if (external) {
      history.replaceState(null, "", location.pathname); // secrets stay out of the history
      this.session({ error: external.error });
    }
    const known = keptSession(this.memory);
    // The callsign may have been changed since the login.
    const session = (external && external.credentials) || (known && { ...known, callsign: this.store.now.desk.callsign || known.callsign });
    if (session) this.enter(session);
    try {
      const h = await ask("GET /api/health", undefined, null);
      this.session({ authMethod: h.authMethod, serverName: h.serviceName, version: h.version });
    } catch {
      if (!session) this.session({ error: t("login.unreachable") });
    }
    if (!session) this.session({ phase: "login" });
  }

  /** Goes on the air with a session. */
  enter(c: Credentials): void {
    keepSession(this.memory, c);
    this.store.change((s) => ({
      ...s,
      desk: { ...s.desk, callsign: c.callsign },
      session: { ...s.session, phase: "live", error: "", busy: false },
    }));
    this.link.start(c);
  }

  /** Logs out, here and at the service. */
  leave(): void {
    keepSession(this.memory, null);
    this.sound.stop();
    const told = this.link.logout();
    this.store.change((s) => ({ ...initial, desk: s.desk, session: { ...initial.session, ...kept(s), phase: "login" } }));
    told.catch((e) => {
      // What it refuses is no login any more.
      if ((e.status === 0 || e.status >= 500) && this.store.now.session.phase === "login") this.session({ error: t("login.untold") });
    });
  }

  session(more: Partial<State["session"]>): void {
    this.store.change((s) => ({ ...s, session: { ...s.session, ...more } }));
  }

  /** Tells the dispatcher that something went wrong. */
  fault(title: string, text: string): void {
    this.store.change((s) => ({
      ...s,
      radio: addNotice(s.radio, {
        kind: "fault", title, text, frequency: null, by: "", at: this.link.now(), color: null, sticky: false,
      }),
    }));
  }

  /** Waits for what an action asked of the service; says aloud when it was refused. */
  async attempt(what: string, work: Promise<unknown>): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      // Fetched long ago, unless the link was lost before.
      this.fault(what, await import("./view/trouble").then(({ words }) => words(e), () => e.message));
      return false;
    }
  }

  #connected(me: number): void {
    this.#answered = performance.now();
    this.session({ connected: true, me, health: "connected", error: "", barred: null });
    this.#resume();
    void this.#load();
    for (const f of this.followers) f.connected?.();
  }

  /** The service forgets who listens where when it restarts; the desk does not. */
  #resume(): void {
    const { desk } = this.store.now;
    if (desk.callsign) this.link.tell("updateUserInfo", { name: desk.callsign });
    if (desk.joined) this.link.tell("setSpeakerChannel", desk.joined);
    for (const f of heard(desk)) this.link.tell("addListeningChannel", f);
    for (const id of desk.follows) this.link.tell("listenToUser", id);
    if (desk.group) this.link.tell("armAnnouncementGroup", { groupId: desk.group });
  }

  /** Configuration and state. Events that come meanwhile are applied after it. */
  async #load(): Promise<void> {
    const held: RadioEvent[] = [];
    this.#held = held;
    try {
      const [config, status] = await Promise.all([
        this.link.request("GET /radio/dispatch/config", undefined),
        this.link.request("GET /radio/dispatch/status", undefined),
      ]);
      this.store.change((s) => {
        let radio = applyStatus(applyConfig(s.radio, config), status, this.link.now());
        for (const e of held) radio = applyEvent(radio, e);
        return { ...s, radio, session: { ...s.session, serverName: config.serverName, version: config.version } };
      });
      // The login's callsign holds until the dispatcher chooses another, on this link too.
      const { desk, session, radio } = this.store.now;
      const called = radio.users[session.me]?.callsign;
      if (config.useCallsignSystem && desk.callsign && called !== undefined && called !== desk.callsign)
        this.link.tell("setCallsign", { callsign: desk.callsign });
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      this.store.change((s) => ({ ...s, radio: held.reduce(applyEvent, s.radio) }));
      setTimeout(() => this.link.socket.connected && this.#load(), loadAgain);
    } finally {
      if (this.#held === held) this.#held = null;
    }
  }

  #event(e: RadioEvent): void {
    for (const f of this.followers) f.event?.(e);
    switch (e.name) {
      case "voice":
      case "webrtc:slots":
        return;
      case "identity":
        this.session({ me: e.payload.serverId });
        return;
      case "configRefresh":
        void this.#load();
        return;
      case "refused":
        this.#refused(e.payload.action, e.payload.frequency, e.payload.error);
        return;
    }
    if (this.#held) this.#held.push(e);
    else this.store.change((s) => withRadio(s, applyEvent(s.radio, e)));
  }

  #refused(action: string, frequency: string | null, error: string): void {
    this.fault(frequency ?? (action === "setCallsign" ? t("settings.callsign") : action), error);
    this.store.change((s) => {
      const desk = { ...s.desk };
      if (action === "setSpeakerChannel" && desk.joined === frequency) desk.joined = null;
      if (action === "addListeningChannel" && frequency !== null) {
        desk.scans = without(desk.scans, frequency);
        desk.selected = desk.selected.filter((f) => f !== frequency);
      }
      if (action === "armAnnouncementGroup") desk.group = null;
      return { ...s, desk };
    });
  }

  #disconnected(): void {
    this.store.change((s) => ({
      ...s,
      session: { ...s.session, connected: false, health: "disconnected", roundTrip: null },
    }));
    for (const f of this.followers) f.disconnected?.();
  }

  #loggedOut(): void {
    keepSession(this.memory, null);
    this.sound.stop();
    this.session({ phase: "login", connected: false, barred: null, error: t("login.ended") });
  }

  #heartbeat(roundTrip: number): void {
    this.#answered = performance.now();
    this.session({ roundTrip: Math.round(roundTrip), health: "connected" });
  }

  #look(): void {
    const { session } = this.store.now;
    const health = healthOf(session.connected, performance.now() - this.#answered);
    if (health !== session.health) this.session({ health });
  }
}

/** The store keeps its object where nothing has changed. */
function withRadio(s: State, radio: State["radio"]): State {
  return radio === s.radio ? s : { ...s, radio };
}

function kept(s: State): Partial<State["session"]> {
  return { authMethod: s.session.authMethod, serverName: s.session.serverName, version: s.session.version };
}

export function without<T>(all: Record<string, T>, key: string): Record<string, T> {
  const rest = { ...all };
  delete rest[key];
  return rest;
}
