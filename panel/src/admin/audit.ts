// An entry of the audit log as a sentence. Only pure functions.
import type { AdminAuditEntry } from "../wire.gen";
import type { Difference } from "./difference";
import type { Say } from "./say";

/** Names is what ids and frequencies are called; "": unknown. */
export interface Names {
  user(id: number): string;
  channel(frequency: string): string;
}

type Fill = Record<string, string>;

/** sentenceOf says what happened. An action that this page does not know is named. */
export function sentenceOf(say: Say, names: Names, e: AdminAuditEntry): string {
  const words = (e.detail?.["text"] ?? "") as string;
  const fill: Fill = {
    who: who(say, names, e),
    whom: whom(say, names, e),
    channel: e.frequency === undefined ? "" : channel(names, e.frequency),
    text: words,
    name: e.target ?? "",
    address: detail(e, "address") || "–",
    action: e.action,
    after: "",
    // What a text that does not read as expected says by itself.
    reason: words,
    channels: words,
  };
  const key = `audit.${e.action}${variant(say, names, e, words, fill)}`;
  return say.tx(key, say.t("audit.unknown", fill), fill);
}

/** variant fills in what only some actions have, and returns how their key ends. */
function variant(say: Say, names: Names, e: AdminAuditEntry, words: string, fill: Fill): string {
  const self = e.target !== undefined && String(e.actor.id) === e.target;
  switch (e.action) {
    case "override":
      return e.target === undefined ? ".free" : "";
    case "move":
      fill["from"] = words === "" || words === "0" ? "" : channel(names, words);
      return e.frequency === undefined ? ".off" : fill["from"] === "" ? ".to" : "";
    case "callsign":
      return `${self ? ".own" : ""}${words === "" ? ".none" : ""}`;
    case "nac":
      return words === "" ? ".none" : "";
    case "broadcast":
      fill["text"] = words.replace(/^[^:]*: /, "");
      return e.frequency === undefined ? ".all" : "";
    case "panic":
      return self || e.actor.id === 0 && e.surface === "core" ? "" : ".by";
    case "panic cleared":
      return cleared(say, e, words, fill, self);
    case "emergency acknowledged":
    case "emergency closed":
      emergency(say, e, words, fill);
      return "";
    case "patch":
    case "patch changed":
    case "patch removed":
      patch(names, words, fill);
      return "";
    default:
      return ofService(say, e, fill);
  }
}

function ofService(say: Say, e: AdminAuditEntry, fill: Fill): string {
  switch (e.action) {
    case "login":
      return detail(e, "via") === "external" ? ".external" : "";
    case "login.refused":
      return detail(e, "via") === "external" ? ".external" : "";
    case "player.webrtc":
      return "";
    case "admin.config.edit":
    case "admin.config.reset": {
      const parts = e.detail?.["parts"];
      fill["parts"] = (Array.isArray(parts) ? parts : []).map((p) => say.tx(`part.${String(p)}`, String(p))).join(", ");
      return "";
    }
    case "admin.script.restart":
      return detail(e, "error") === "" ? "" : ".failed";
    case "theme.install":
    case "theme.remove":
    case "theme.default":
      return theme(say, e, fill);
    case "recording.fetch":
      fill["name"] = detail(e, "name") || "–";
      return "";
    case "recording.export":
      return e.frequency === undefined ? "" : ".channel";
    case "recording.delete":
      fill["count"] = detail(e, "deleted") || "–";
      fill["name"] = [detail(e, "name"), detail(e, "unitId")].filter(Boolean).join(", ");
      return fill["name"] === "" ? "" : ".of";
    case "admin.webhook.discard":
      fill["count"] = detail(e, "removed") || "–";
      return "";
    case "admin.webhook.resend":
    case "admin.webhook.test":
      return e.detail?.["ok"] === false ? ".failed" : "";
    case "admin.audit.download":
      fill["file"] = detail(e, "file");
      return "";
    case "cluster.move":
      fill["radio"] = detail(e, "radio");
      fill["node"] = detail(e, "node");
      fill["reason"] = detail(e, "error");
      return fill["reason"] === "" ? "" : ".failed";
    case "storage.failed":
      fill["reason"] = detail(e, "reason");
      return "";
    default:
      return "";
  }
}

function theme(say: Say, e: AdminAuditEntry, fill: Fill): string {
  fill["name"] = detail(e, "name") || (e.target ?? "");
  fill["version"] = detail(e, "version");
  fill["from"] = detail(e, "replaced");
  fill["script"] = detail(e, "js") === "" ? "" : say.t("audit.theme.script");
  if (e.action === "theme.default") return fill["name"] === "" ? ".none" : "";
  return e.action === "theme.install" && fill["from"] !== "" ? ".replaced" : "";
}

/** "cleared: Ana Ruiz after 14 s"; older entries have only the reason. */
function cleared(say: Say, e: AdminAuditEntry, words: string, fill: Fill, self: boolean): string {
  const found = /^(\w+)(?:: (.*) after (\d+) s)?$/s.exec(words);
  if (found?.[2] !== undefined) named(e, found[2], fill);
  if (found?.[3] !== undefined) fill["after"] = say.t("audit.after", { time: clock(Number(found[3])) });
  const reason = found?.[1] ?? "";
  if (reason === "timeout" || reason === "dropped") return `.${reason}`;
  return self ? ".own" : "";
}

/** "e-1 of Ana Ruiz after 14 s: resolved, a note". */
function emergency(say: Say, e: AdminAuditEntry, words: string, fill: Fill): void {
  const found = /^\S+ of (.*) after (\d+) s(?:: (\w+)(?:, (.*))?)?$/s.exec(words);
  if (found === null) return;
  named(e, found[1] ?? "", fill);
  fill["after"] = say.t("audit.after", { time: clock(Number(found[2])) });
  const reason = found[3] ?? "";
  fill["reason"] = say.tx(`reason.${reason}`, reason) + (found[4] ? `, ${found[4]}` : "");
}

/** named takes a name from an entry's text; an id there says no more than the target. */
function named(e: AdminAuditEntry, name: string, fill: Fill): void {
  if (name !== "" && name !== e.target) fill["whom"] = name;
}

/** "p-1 North + Tac: 154.755 460.25". */
function patch(names: Names, words: string, fill: Fill): void {
  const found = /^(\S+) (.*): ?([\d. ]*)$/s.exec(words);
  if (found === null) return;
  fill["name"] = found[2] || (found[1] ?? "");
  fill["channels"] = (found[3] ?? "").split(" ").filter((f) => f !== "").map((f) => channel(names, f)).join(", ");
}

function who(say: Say, names: Names, e: AdminAuditEntry): string {
  if (e.surface === "admin") return e.actor.name === "admin" || e.actor.name === "" ? say.t("audit.admin") : e.actor.name;
  if (e.surface === "lua") return say.t("audit.script", { name: e.actor.name.replace(/^script /, "") });
  if (e.actor.name !== "") return e.actor.name;
  if (e.actor.id !== 0) return names.user(e.actor.id) || say.t("audit.id", { id: e.actor.id });
  return e.surface === "core" ? say.t("audit.server") : say.t("audit.someone");
}

function whom(say: Say, names: Names, e: AdminAuditEntry): string {
  const known = detail(e, "whom");
  if (known !== "") return known;
  const id = Number(e.target ?? detail(e, "serverId"));
  if (!Number.isInteger(id) || id === 0) return e.target ?? "";
  return names.user(id) || say.t("audit.id", { id });
}

const channel = (names: Names, frequency: string): string => names.channel(frequency) || frequency;

function detail(e: AdminAuditEntry, key: string): string {
  const value = e.detail?.[key];
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** clock is a duration in seconds as "0:14" or "1:02:03". */
export function clock(seconds: number): string {
  const two = (x: number): string => String(x).padStart(2, "0");
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return h > 0 ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** changesOf is what an entry says about a changed configuration; more: how many are left out. */
export function changesOf(e: AdminAuditEntry): { changes: Difference[]; more: number } {
  const all = e.detail?.["changes"];
  const more = e.detail?.["moreChanges"];
  return { changes: Array.isArray(all) ? (all as Difference[]) : [], more: typeof more === "number" ? more : 0 };
}
