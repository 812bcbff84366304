import { t } from "./i18n/language.svelte";
import type { RadioEvent } from "./state/event";
import { applyEvent } from "./state/event";
import { heard } from "./state/desk";
import { deskKey, readDesk } from "./state/memory";
import { addNotice } from "./state/notification";
import { channelName } from "./state/radio";
import { applyConfig, applyStatus } from "./state/status";
import { healthOf, initial, type State } from "./state/state";
import { Store } from "./state/store.svelte";
import { openForEmergencies } from "./action/emergency";
import { openEmergencies } from "./state/emergency";
import { without } from "./state/without";
import type { Component } from "svelte";
import { type Link, type LinkEvents, Refusal } from "./link/link";
import { words } from "./i18n/refusal";
import { ask } from "./link/rest";
import { type Credentials, keepSession, keptSession } from "./link/session";
import type { Ports, SoundPort } from "./ports";

/** How often the link's health is updated, ms. */
const healthEvery = 1_000;
/** Wait before the state is asked for again after that failed, ms. */
const loadAgain = 2_000;
/** How long the console waits for the radio's state before it is drawn without it, ms. */
const drawnAfter = 500;

/** Sound as driven by the panel: it follows the link and the events of the radio. */
export interface SoundModule extends SoundPort {
  event(e: RadioEvent): void;
  connected(): void;
  disconnected(): void;
  /** At logout. */
  stop(): void;
}

/** What a panel needs on the air but not on the login page. */
export interface OnAir {
  Console: Component;
  link: Link;
}

/** The panel without its view: it applies what the link reports to the store. */
export class Panel implements Ports {
  readonly store = new Store();
  /** Set once open has succeeded; nothing uses them before enter. */
  link!: Link;
  Console!: Component;
  readonly sound: SoundModule;
  #opening: Promise<void> | null = null;
  #answered = 0;
  #held: RadioEvent[] | null = null;
  /** Draws a new session's console when its state does not come; 0: it is drawn, or there is no session. */
  #late = 0;

  /**
   * memory keeps the session and the desk: the browser's own storage, or a separate one for a
   * simulation. sound makes the panel's sound. load fetches what the login page does
   * not need; it may fail.
   */
  constructor(
    private readonly memory: Storage,
    sound: (p: Ports) => SoundModule,
    private readonly load: () => Promise<OnAir>,
  ) {
    this.store.change((s) => ({ ...s, desk: readDesk(memory.getItem(deskKey), navigator.languages) }));
    this.store.watch((now, before) => {
      if (now.desk !== before.desk) memory.setItem(deskKey, JSON.stringify(now.desk));
      if (now.session.connected && openEmergencies(now.radio) !== openEmergencies(before.radio)) openForEmergencies(this);
    });
    this.sound = sound(this);
    setInterval(() => this.#look(), healthEvery);
  }

  /** Continues a stored session, or shows the login. */
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
    if (session) void this.enter(session);
    try {
      const h = await ask("GET /api/health", undefined, null);
      this.session({ authMethod: h.authMethod, serverName: h.serviceName, version: h.version });
    } catch {
      if (!session) this.session({ error: t("login.unreachable") });
    }
    if (session) return;
    this.session({ phase: "login" });
    this.open().catch(() => undefined); // while the user types; enter tries again and reports a failure
  }

  /** Fetches the console and its link, once. */
  open(): Promise<void> {
    this.#opening ??= this.load().then(
      ({ Console, link }) => {
        this.Console = Console;
        this.link = link;
      },
      (e: unknown) => {
        this.#opening = null;
        throw e;
      },
    );
    return this.#opening;
  }

  /** Goes on the air with a session. Without the console the page says so. */
  async enter(c: Credentials): Promise<void> {
    keepSession(this.memory, c);
    this.store.change((s) => ({ ...s, desk: { ...s.desk, callsign: c.callsign } }));
    try {
      await this.open();
    } catch {
      this.session({ phase: "unloaded", busy: false });
      return;
    }
    this.#late = window.setTimeout(() => this.#draw(), drawnAfter);
    this.link.start(c, this.#hears());
  }

  /** Shows the console of a new session, once, with what is known by then. */
  #draw(): void {
    if (this.#late === 0) return;
    this.#endWait();
    this.session({ phase: "live", error: "", busy: false });
  }

  #endWait(): void {
    clearTimeout(this.#late);
    this.#late = 0;
  }

  /** Of a session that is over, nothing is shown any more. */
  #end(): void {
    this.#endWait();
    this.#held = null;
    keepSession(this.memory, null);
    this.sound.stop();
  }

  /** Logs out, here and at the service. */
  leave(): void {
    this.#end();
    const told = this.link.logout();
    this.store.change((s) => ({ ...initial, desk: s.desk, session: { ...initial.session, ...kept(s), phase: "login" } }));
    told.catch((e) => {
      // A refusal means that the login has already ended.
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

  /** Waits for an action's request; a refusal becomes a notice. */
  async attempt(what: string, work: Promise<unknown>): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      this.fault(what, words(e));
      return false;
    }
  }

  #hears(): LinkEvents {
    return {
      connected: (me) => this.#connected(me),
      disconnected: () => this.#disconnected(),
      event: (e) => this.#event(e),
      heartbeat: (ms) => this.#heartbeat(ms),
      renewed: (c) => keepSession(this.memory, c),
      loggedOut: () => this.#loggedOut(),
      barred: (barred) => {
        this.session({ barred });
        this.#draw();
      },
      degraded: (degraded) => this.session({ degraded }),
    };
  }

  #connected(me: number): void {
    this.#answered = performance.now();
    this.session({ connected: true, me, health: "connected", error: "", barred: null });
    this.#resume();
    void this.#load();
    this.sound.connected();
  }

  /** A restarted service has forgotten who listens where; the desk has not. */
  #resume(): void {
    const { desk } = this.store.now;
    if (desk.callsign) this.link.tell("updateUserInfo", { name: desk.callsign });
    if (desk.joined) this.link.tell("setSpeakerChannel", desk.joined);
    for (const f of heard(desk)) this.link.tell("addListeningChannel", f);
    for (const id of desk.follows) this.link.tell("listenToUser", id);
    if (desk.group) this.link.tell("armAnnouncementGroup", { groupId: desk.group });
  }

  /** Loads configuration and state. Events that arrive meanwhile are applied after them. */
  async #load(): Promise<void> {
    const held: RadioEvent[] = [];
    this.#held = held;
    try {
      const [config, status] = await Promise.all([
        this.link.request("GET /radio/dispatch/config", undefined),
        this.link.request("GET /radio/dispatch/status", undefined),
      ]);
      if (this.#held !== held) return; // another load has begun, or the session is over
      this.store.change((s) => {
        let radio = applyStatus(applyConfig(s.radio, config), status, this.link.now());
        for (const e of held) radio = applyEvent(radio, e);
        return { ...s, radio, session: { ...s.session, serverName: config.serverName, version: config.version } };
      });
      // The login's callsign holds until the dispatcher chooses another, on this link
      // too.
      const { desk, session, radio } = this.store.now;
      const called = radio.users[session.me]?.callsign;
      if (config.useCallsignSystem && desk.callsign && called !== undefined && called !== desk.callsign)
        this.link.tell("setCallsign", { callsign: desk.callsign });
    } catch (e) {
      if (!(e instanceof Refusal)) throw e;
      if (this.#held !== held) return;
      this.store.change((s) => ({ ...s, radio: held.reduce(applyEvent, s.radio) }));
      setTimeout(() => this.link.socket.connected && this.#load(), loadAgain);
    } finally {
      if (this.#held === held) {
        this.#held = null;
        this.#draw();
      }
    }
  }

  #event(e: RadioEvent): void {
    this.sound.event(e);
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
    this.fault(channelName(this.store.now.radio, frequency) || (action === "setCallsign" ? t("login.callsign") : action), error);
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
    this.sound.disconnected();
    this.#draw();
  }

  #loggedOut(): void {
    this.#end();
    this.session({ phase: "login", connected: false, busy: false, barred: null, error: t("login.ended") });
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

/** The store keeps its object if nothing has changed. */
function withRadio(s: State, radio: State["radio"]): State {
  return radio === s.radio ? s : { ...s, radio };
}

function kept(s: State): Partial<State["session"]> {
  return { authMethod: s.session.authMethod, serverName: s.session.serverName, version: s.session.version };
}
