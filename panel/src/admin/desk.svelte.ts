// The state of the page: who is logged in, the document and its changes.
import { getContext, setContext, tick } from "svelte";
import type { AdminConfig, AdminSession } from "../wire.gen";
import { call, Refused, useToken } from "./api";
import { opened, partOf, parts, sent, type Document, type Part } from "./document";

export type View = Part | "scripts" | "people" | "keys" | "audit";

export class Desk {
  phase = $state<"starting" | "login" | "desk">("starting");
  serverName = $state("Squelch");
  view = $state<View>("zones");
  busy = $state(false);
  /** What happened last, for the live region; a failure is told at once. */
  told = $state("");
  failed = $state("");
  /** The value at fault: its path in the document and why. */
  fault = $state<{ path: string; text: string } | undefined>();
  conflict = $state(false);
  document = $state<Document | undefined>();
  edited = $state<string[]>([]);
  ignored = $state("");
  #revision = "";
  #saved = $state<Record<string, string>>({});

  /** The parts that differ from what the service has. */
  readonly dirty: Part[] = $derived.by(() => {
    const d = this.document;
    return d === undefined ? [] : parts.map((p) => p.part).filter((p) => JSON.stringify(d[p]) !== this.#saved[p]);
  });

  async boot(): Promise<void> {
    await this.#attempt(async () => {
      await this.#welcome(await call("GET /admin/api/session"));
    });
  }

  async login(password: string): Promise<void> {
    await this.#attempt(async () => {
      await this.#welcome(await call("POST /admin/api/login", { password }));
    });
  }

  async #welcome(session: AdminSession): Promise<void> {
    this.serverName = session.serverName || this.serverName;
    if (!session.authenticated) {
      this.phase = "login";
      return;
    }
    useToken(session.csrfToken ?? "");
    // A login that ended in the middle of an edit does not lose the edit.
    if (this.dirty.length === 0) this.#show(await call("GET /admin/api/config"));
    this.phase = "desk";
  }

  async logout(): Promise<void> {
    await this.#attempt(async () => {
      await call("POST /admin/api/logout");
      useToken("");
      this.document = undefined;
      this.phase = "login";
    });
  }

  async save(): Promise<void> {
    const d = this.document;
    if (d === undefined || this.dirty.length === 0) return;
    const changed = [...this.dirty];
    await this.#attempt(async () => {
      const config = Object.assign({}, ...changed.map((p) => sent(d, p)));
      this.#show(await call("PUT /admin/api/config", { revision: this.#revision, config }));
      this.told = "Saved and sent to all radios.";
    });
  }

  /** reset sets parts, or everything, back to the file. */
  async reset(part?: Part): Promise<void> {
    await this.#attempt(async () => {
      this.#show(await call("POST /admin/api/config/reset", { revision: this.#revision, ...(part && { parts: [part] }) }), part && [part]);
      this.told = part ? "This section is restored from the file." : "Everything is restored from the file.";
    });
  }

  discard(): void {
    const d = this.document;
    if (d === undefined) return;
    for (const part of this.dirty) Object.assign(d, { [part]: JSON.parse(this.#saved[part] ?? "null") });
    this.fault = undefined;
    this.failed = "";
    this.told = "Changes discarded.";
  }

  /** newest settles a conflict: it loads what the others did, with or without one's own changes on top. */
  async newest(keepMine: boolean): Promise<void> {
    await this.#attempt(async () => {
      const mine = keepMine ? [...this.dirty] : [];
      this.#show(await call("GET /admin/api/config"), mine.length > 0 ? parts.map((p) => p.part).filter((p) => !mine.includes(p)) : undefined);
      this.told = keepMine ? "Other changes are loaded; yours are not saved yet." : "The newest configuration is loaded.";
    });
  }

  /** #show loads a configuration; only: the parts to replace, while the others keep unsaved changes. */
  #show(c: AdminConfig, only?: Part[]): void {
    const fresh = opened(c.config);
    const current = this.document;
    for (const { part } of parts) this.#saved[part] = JSON.stringify(fresh[part]);
    if (current === undefined || only === undefined) this.document = fresh;
    else for (const part of only) Object.assign(current, { [part]: fresh[part] });
    this.#revision = c.revision;
    this.edited = c.edited;
    this.ignored = c.ignored ?? "";
    this.conflict = false;
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
    this.failed = e.message;
    if (e.status === 401 && this.phase === "desk") {
      this.failed = "Your session has ended. Log in again; your changes are still here.";
      this.phase = "login";
      return;
    }
    if (this.phase === "starting") this.phase = "login";
    if (e.status === 409 && ofDocument) this.conflict = true;
    const part = partOf(e.field);
    if (part === undefined) return;
    this.fault = { path: e.field, text: e.message.replace(`${e.field} `, "") };
    this.view = part;
    await tick();
    focusAt(e.field);
  }

  faultAt(path: string): string {
    return this.fault?.path === path ? this.fault.text : "";
  }
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
