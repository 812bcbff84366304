import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { de } from "../i18n/admin/de";
import { en } from "../i18n/admin/en";
import type { AdminAuditEntry } from "../wire.gen";
import { clock, sentenceOf, type Names } from "./audit";
import { groupOf, kinds } from "./kinds";
import { sayer } from "./say";

const root = join(import.meta.dirname, "../../..");
const says = { en: sayer(en, "en"), de: sayer(de, "de") };
const names: Names = {
  user: (id) => ({ 5: "Ana Ruiz", "-3": "D-2" })[String(id)] ?? "",
  channel: (f) => ({ "154.28": "FIRE DISP", "154.755": "MAIN", "154.815": "TAC" })[f] ?? "",
};
const entry = (action: string, more: Partial<AdminAuditEntry> = {}): AdminAuditEntry => ({ seq: 1, time: 0, actor: { id: -3, name: "D-2" }, surface: "rest", action, ...more });
const told = (e: AdminAuditEntry): string[] => [sentenceOf(says.en, names, e), sentenceOf(says.de, names, e)];

/** Every action that the core and the service write into the log, as their sources name it. */
function written(): string[] {
  const out = new Set<string>();
  const core = readFileSync(join(root, "core/audit.go"), "utf8");
  for (const m of core.matchAll(/r\.Action[^=\n]*= "([^"]+)"/g)) out.add(m[1] ?? "");
  for (const f of readdirSync(join(root, "server"), { recursive: true, encoding: "utf8" })) {
    if (!f.endsWith(".go") || f.endsWith("_test.go")) continue;
    const source = readFileSync(join(root, "server", f), "utf8");
    for (const m of source.matchAll(/\.note(?:About|Done)?\(r, "([^"]+)"|\bentry\(r, "([^"]+)"|\bk\.event\("([^"]+)"|h\.welcome\(w, r, "([^"]+)"|h\.auditLogin\(r, "([^"]+)"|\bd\.done\(who, "([^"]+)"|\bd\.note\((?:who|askerOf\(r, by\)), "([^"]+)"/g)) out.add(m.slice(1).find((x) => x !== undefined) ?? "");
    for (const m of source.matchAll(/\bAction:\s+"([^"]+)"/g)) out.add(m[1] ?? "");
    for (const m of source.matchAll(/action :?= "([^"]+)"/g)) if (/audit|note/.test(source)) out.add(m[1] ?? "");
  }
  return [...out];
}

describe("the audit log in sentences", () => {
  it("has a sentence and a group for every action there is, in both languages", () => {
    const all = written();
    expect(all.length).toBeGreaterThanOrEqual(36);
    for (const action of all) {
      expect(groupOf(action), action).toBeDefined();
      for (const say of [says.en, says.de]) {
        const sentence = sentenceOf(say, names, entry(action, { target: "5", frequency: "154.28", detail: { text: "x" } }));
        expect(sentence, action).not.toContain(`: ${action}`);
        expect(sentence, action).not.toMatch(/[{}]/);
      }
    }
    // And the filter lists nothing that nobody writes.
    for (const action of Object.values(kinds).flat()) expect(all, action).toContain(action);
  });

  it("names people, channels and how long it took", () => {
    const at = { frequency: "154.28", target: "5" };
    expect(told(entry("panic", { ...at, actor: { id: 5, name: "Ana Ruiz" }, surface: "socketio", detail: { text: "Ana Ruiz" } }))).toEqual(["Ana Ruiz raised an emergency on FIRE DISP", "Ana Ruiz hat auf FIRE DISP einen Notruf ausgelöst"]);
    expect(told(entry("panic", { ...at, actor: { id: 0, name: "script roster" }, surface: "lua" }))[0]).toBe("The script roster raised an emergency for Ana Ruiz on FIRE DISP");
    expect(told(entry("emergency acknowledged", { ...at, detail: { text: "e-1 of Ana Ruiz after 14 s" } }))).toEqual([
      "D-2 acknowledged the emergency of Ana Ruiz on FIRE DISP after 0:14",
      "D-2 hat den Notruf von Ana Ruiz auf FIRE DISP nach 0:14 quittiert",
    ]);
    expect(told(entry("emergency closed", { ...at, detail: { text: "e-1 of Ana Ruiz after 74 s: accidental, dropped it: twice" } }))).toEqual([
      "D-2 closed the emergency of Ana Ruiz on FIRE DISP after 1:14: accidental, dropped it: twice",
      "D-2 hat den Notruf von Ana Ruiz auf FIRE DISP nach 1:14 abgeschlossen: Fehlauslösung, dropped it: twice",
    ]);
    expect(told(entry("panic cleared", { ...at, actor: { id: 0, name: "" }, surface: "core", detail: { text: "timeout: Ana Ruiz after 60 s" } }))[0]).toBe("The emergency of Ana Ruiz on FIRE DISP timed out after 1:00");
    expect(told(entry("panic cleared", { ...at, actor: { id: 5, name: "Ana Ruiz" }, detail: { text: "cleared" } }))[0]).toBe("Ana Ruiz ended their emergency on FIRE DISP");
    expect(told(entry("move", { frequency: "154.815", target: "5", detail: { text: "154.755" } }))).toEqual(["D-2 moved Ana Ruiz from MAIN to TAC", "D-2 hat Ana Ruiz von MAIN auf TAC geschaltet"]);
    expect(told(entry("move", { frequency: "154.815", target: "5", detail: { text: "" } }))[0]).toBe("D-2 moved Ana Ruiz to TAC");
    expect(told(entry("patch", { detail: { text: "p-1 North + Tac: 154.755 154.815" } }))[0]).toBe("D-2 started patch North + Tac: MAIN, TAC");
    expect(told(entry("broadcast", { detail: { text: "General Alert: Note: be careful" } }))[0]).toBe("D-2 sent a message to all units: Note: be careful");
    expect(told(entry("callsign", { actor: { id: 5, name: "Ana Ruiz" }, target: "5", detail: { text: "4A-12" } }))[0]).toBe("Ana Ruiz changed their callsign to 4A-12");
  });

  it("prefers the name of that moment, and keeps the id of someone nobody knows", () => {
    expect(told(entry("disconnect", { target: "5", detail: { whom: "Kay Moss" } }))[0]).toBe("D-2 disconnected Kay Moss");
    expect(told(entry("disconnect", { target: "77" }))[0]).toBe("D-2 disconnected ID 77");
    expect(told(entry("emergency acknowledged", { frequency: "154.28", target: "77", detail: { text: "e-1 of 77 after 4 s" } }))[0]).toBe("D-2 acknowledged the emergency of ID 77 on FIRE DISP after 0:04");
  });

  it("says which theme, and whether it has a script", () => {
    const by = (action: string, detail: Record<string, unknown>, target = "night"): string[] => told(entry(action, { surface: "admin", actor: { id: 0, name: "admin" }, target, detail: { address: "127.0.0.1", ...detail } }));
    expect(by("theme.install", { name: "Night Shift", version: "1.0" })).toEqual(["The administrator installed the theme Night Shift 1.0", "Der Administrator hat das Theme Night Shift 1.0 installiert"]);
    expect(by("theme.install", { name: "Night Shift", version: "1.1", replaced: "1.0", js: "ab" })).toEqual([
      "The administrator replaced the theme Night Shift 1.0 with version 1.1, which has a script",
      "Der Administrator hat das Theme Night Shift 1.0 durch Version 1.1 ersetzt, mit einem Skript",
    ]);
    expect(by("theme.remove", { name: "Night Shift", version: "1.1" })[0]).toBe("The administrator removed the theme Night Shift");
    expect(by("theme.remove", {})[0]).toBe("The administrator removed the theme night");
    expect(by("theme.default", {})[0]).toBe("The administrator made the theme night the default");
    expect(by("theme.default", {}, "")).toEqual(["The administrator chose to have no default theme", "Der Administrator hat das Standard-Theme abgewählt"]);
  });

  it("names an action of a newer service", () => {
    expect(told(entry("theme.lend"))).toEqual(["D-2: theme.lend", "D-2: theme.lend"]);
  });

  it("writes durations as clocks do", () => {
    expect([0, 14, 74, 3723].map(clock)).toEqual(["0:00", "0:14", "1:14", "1:02:03"]);
  });
});
