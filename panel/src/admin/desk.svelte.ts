// The state of the page: who is signed in, the document, its changes, and which row
// is open in the side sheet.
import { getContext, setContext, tick } from "svelte";
import { SvelteSet } from "svelte/reactivity";
import type { AdminConfig, AdminSession } from "../wire.gen";
import { call, Refused, useToken } from "./api";
import { objections, type Objection } from "./check";
import { differences, type Difference } from "./difference";
import { opened, partOf, parts, sent, type Document, type Part } from "./document";
import { n, t } from "./language.svelte";
import { move, remove, rowOf, type Place } from "./row";

export type View = Part | "dispatchers" | "units" | "keys" | "accounts" | "scripts" | "themes" | "recording" | "webhooks" | "radios" | "log" | "audit" | "restore" | "game";

/** What an account may do, the mightiest first. */
export const roles = ["owner", "admin", "viewer"] as const;
export type Role = (typeof roles)[number];

export class Desk {
  phase = $state<"starting" | "login" | "desk">("starting");
  serverName = $state("Squelch");
  /** The account that is signed in, and what it may do. */
  account = $state("");
  role = $state<Role>("viewer");
  view = $state<View>("zones");
  busy = $state(false);
  /** What happened last, for the live region; a failure is told at once. */
  told = $state("");
  failed = $state("");
  /** The service's objection: the path of the value at fault and why. */
  fault = $state<{ path: string; text: string } | undefined>();
  conflict = $state(false);
  reviewing = $state(false);
  document = $state<Document | undefined>();
  edited = $state<string[]>([]);
  ignored = $state("");
  /** The path of the row in the side sheet; "": it is closed. */
  sheet = $state("");
  /** Fields that have been left, and those whose faults are shown because of that. */
  readonly left = new SvelteSet<string>();
  /** Saving was tried: every fault is shown. */
  tried = $state(false);
  #revision = "";
  #saved = $state.raw<Document | undefined>();
  /** A row that was added and not yet filled in. */
  #fresh = { path: "", was: "" };

  readonly changes: Difference[] = $derived.by(() => (this.document === undefined || this.#saved === undefined ? [] : differences({ ...this.#saved }, $state.snapshot(this.document))));
  /** What the page itself objects to. */
  readonly objections: Objection[] = $derived(this.document === undefined ? [] : objections(this.document));
  readonly dirty: Part[] = $derived(parts.filter((p) => this.changes.some((c) => partOf(c.path) === p)));
  readonly place: Place | undefined = $derived(this.document === undefined || this.sheet === "" ? undefined : rowOf(this.document, this.sheet));

  async boot(): Promise<void> {
    await this.#attempt(async () => {
      await this.#welcome(await call("GET /admin/api/session"));
    });
  }

  async login(name: string, password: string): Promise<void> {
    await this.#attempt(async () => {
      try {
        await this.#welcome(await call("POST /admin/api/login", { name, password }));
      } catch (e) {
        throw e instanceof Refused && e.status === 401 ? new Refused(401, t("login.wrong"), "") : e;
      }
    });
  }

  async #welcome(session: AdminSession): Promise<void> {
    this.serverName = session.serverName || this.serverName;
    if (!session.authenticated) {
      this.phase = "login";
      return;
    }
    useToken(session.csrfToken ?? "");
    this.account = session.name ?? "";
    this.role = roles.find((r) => r === session.role) ?? "viewer";
    // A session that ended in the middle of an edit does not lose the edit.
    if (this.dirty.length === 0) this.#show(await call("GET /admin/api/config"));
    this.phase = "desk";
  }

  async logout(): Promise<void> {
    await this.#attempt(async () => {
      await call("POST /admin/api/logout");
      useToken("");
      this.document = this.#saved = undefined;
      this.sheet = "";
      this.phase = "login";
    });
  }

  /** save sends the changed parts. A value that the page itself objects to is shown instead. */
  async save(): Promise<void> {
    const d = this.document;
    if (d === undefined || this.dirty.length === 0) return;
    this.tried = true;
    const wrong = this.objections.filter((o) => this.dirty.some((p) => p === partOf(o.path)));
    if (wrong[0] !== undefined) {
      this.failed = n("save.wrong", wrong.length);
      this.reviewing = false;
      await this.show(wrong[0].path);
      return;
    }
    const changed = [...this.dirty];
    await this.#attempt(async () => {
      const config = Object.assign({}, ...changed.map((p) => sent(d, p)));
      this.#show(await call("PUT /admin/api/config", { revision: this.#revision, config }));
      this.reviewing = false;
      this.told = t("save.done");
    });
  }

  /** reset puts parts, or everything, back to the file. */
  async reset(part?: Part): Promise<void> {
    await this.#attempt(async () => {
      this.#show(await call("POST /admin/api/config/reset", { revision: this.#revision, ...(part && { parts: [part] }) }), part && [part]);
      this.told = t("restore.done");
    });
  }

  discard(): void {
    if (this.document === undefined || this.#saved === undefined) return;
    this.document = structuredClone(this.#saved);
    this.#calm();
    this.sheet = "";
    this.reviewing = false;
    this.failed = "";
    this.told = t("discard.done");
  }

  /** newest settles a conflict: it loads what the others did, with or without one's own changes on top. */
  async newest(keepMine: boolean): Promise<void> {
    await this.#attempt(async () => {
      const mine = keepMine ? [...this.dirty] : [];
      this.#show(await call("GET /admin/api/config"), mine.length > 0 ? parts.filter((p) => !mine.includes(p)) : undefined);
      this.told = keepMine ? t("conflict.kept") : t("conflict.loaded");
    });
  }

  /** refresh shows what is in force now, under one's own unsaved changes. */
  async refresh(): Promise<void> {
    const mine = [...this.dirty];
    this.#show(await call("GET /admin/api/config"), mine.length > 0 ? parts.filter((p) => !mine.includes(p)) : undefined);
  }

  /** #show loads a configuration; only: the parts to replace, while the others keep unsaved changes. */
  #show(c: AdminConfig, only?: readonly Part[]): void {
    const fresh = opened(c.config);
    const current = this.document;
    this.#saved = structuredClone(fresh);
    if (current === undefined || only === undefined) this.document = fresh;
    else for (const part of only) Object.assign(current, { [part]: fresh[part] });
    this.#revision = c.revision;
    this.edited = c.edited;
    this.ignored = c.ignored ?? "";
    this.conflict = false;
    this.#calm();
    if (this.place === undefined) this.sheet = "";
  }

  #calm(): void {
    this.fault = undefined;
    this.tried = false;
    this.left.clear();
    this.#fresh.path = "";
  }

  /** run does work for another view, and reports in the same way. */
  async run(work: () => Promise<string>): Promise<void> {
    await this.#attempt(async () => {
      this.told = await work();
    }, false);
  }

  /** #attempt does work; ofDocument: a 409 then means that somebody else has edited it. */
  async #attempt(work: () => Promise<void>, ofDocument = true): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    this.told = "";
    this.failed = "";
    this.fault = undefined;
    try {
      await work();
    } catch (e) {
      if (!(e instanceof Refused)) throw e;
      await this.#refused(e, ofDocument);
    } finally {
      this.busy = false;
    }
  }

  async #refused(e: Refused, ofDocument: boolean): Promise<void> {
    this.failed = words(e);
    if (e.status === 401 && this.phase === "desk") {
      this.failed = t("login.ended");
      this.sheet = "";
      this.reviewing = false;
      this.phase = "login";
      return;
    }
    if (this.phase === "starting") this.phase = "login";
    if (e.status === 409 && ofDocument) {
      this.failed = t("conflict.text");
      this.conflict = true;
      this.reviewing = false;
    }
    if (partOf(e.field) === undefined) return;
    this.fault = { path: e.field, text: e.message.replace(`${e.field} `, "") };
    this.reviewing = false;
    await this.show(e.field);
  }

  /** show opens the row of a path, and focuses the field there. */
  async show(path: string): Promise<void> {
    const part = partOf(path);
    const place = this.document && rowOf(this.document, path);
    if (part === undefined) return;
    this.view = part;
    this.sheet = place?.path ?? "";
    await tick();
    focusAt(path);
  }

  /** open shows a row in the sheet. */
  open(path: string): void {
    this.sheet = path;
  }

  /** add puts a new row at the end of the list at that path, and opens it. */
  add<T>(list: string, rows: T[], row: T): void {
    rows.push(row);
    this.sheet = `${list}[${rows.length}]`;
    this.#fresh = { path: this.sheet, was: JSON.stringify(row) };
  }

  /** close closes the sheet. A new row that nobody filled in goes again. */
  async close(): Promise<void> {
    const at = this.place;
    this.sheet = "";
    if (at !== undefined && this.document !== undefined && at.path === this.#fresh.path && JSON.stringify(at.rows[at.index]) === this.#fresh.was) remove(this.document, at);
    this.#fresh.path = "";
    await tick();
    if (at !== undefined) (document.getElementById(`row ${at.path}`) ?? document.getElementById(`add ${at.list}`))?.focus();
  }

  /** shift moves the open row to another place in its list. */
  shift(by: -1 | 1): void {
    const at = this.place;
    if (at === undefined || this.document === undefined) return;
    this.fault = undefined; // its path may mean another row now
    this.left.clear();
    this.sheet = move(this.document, at, at.index + by);
  }

  /** drop removes the open row, and goes to the next one in the list. */
  async drop(): Promise<void> {
    const at = this.place;
    if (at === undefined || this.document === undefined) return;
    this.fault = undefined;
    this.left.clear();
    this.sheet = "";
    remove(this.document, at);
    this.#fresh.path = "";
    await tick();
    const next = Math.min(at.index + 1, at.rows.length);
    (document.getElementById(`row ${at.list}[${next}]`) ?? document.getElementById(`add ${at.list}`))?.focus();
  }

  /** edit notes that a value is being changed: what the service said about it is over. */
  edit(path: string): void {
    if (this.fault?.path === path) this.fault = undefined;
  }

  /** faultAt is what is wrong with a value; "": nothing that should be shown now. */
  faultAt(path: string): string {
    if (this.fault?.path === path) return this.fault.text;
    if (!this.tried && !this.left.has(path)) return "";
    const own = this.objections.find((o) => o.path === path);
    return own === undefined ? "" : t(own.key, own.fill);
  }

  /** faulty says whether something at or below a path is to be corrected. */
  faulty(path: string): boolean {
    const within = (p: string): boolean => p === path || p.startsWith(`${path}.`) || p.startsWith(`${path}[`);
    return (this.fault !== undefined && within(this.fault.path)) || this.objections.some((o) => within(o.path) && (this.tried || this.left.has(o.path)));
  }
}

/** words is a refusal in the page's language, where it has words of its own. */
function words(e: Refused): string {
  if (e.status === 0) return t("fault.unreachable");
  if (e.status === 429) return t("fault.wait");
  return e.message;
}

/** focusAt focuses the field of a path, or the nearest one around it. */
export function focusAt(path: string): void {
  for (let at = path; at !== ""; at = at.replace(/(\.[^.[]+|\[\d+\])$/, "")) {
    const field = document.getElementById(at);
    if (field !== null) {
      field.focus();
      return;
    }
    if (!/[.[]/.test(at)) return;
  }
}

const key = Symbol("desk");
export const giveDesk = (desk: Desk): Desk => setContext(key, desk);
export const useDesk = (): Desk => getContext<Desk>(key);
