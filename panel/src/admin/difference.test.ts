import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { de } from "../i18n/admin/de";
import { en } from "../i18n/admin/en";
import { headingOf, valueOf } from "./describe";
import { differences, type Difference } from "./difference";
import { sayer } from "./say";

interface Case {
  about: string;
  from: Record<string, unknown>;
  to: Record<string, unknown>;
  changes: Difference[];
}
/** The service is tested with the same ones. */
const cases = JSON.parse(readFileSync(join(import.meta.dirname, "../../../server/admin/testdata/differences.json"), "utf8")) as Case[];
const sorted = (all: Difference[]): string[] => all.map((c) => JSON.stringify([c.path, c.kind, c.row, c.from ?? null, c.to ?? null])).sort();

describe("what differs between two documents", () => {
  for (const c of cases) it(c.about, () => expect(sorted(differences(c.from, c.to))).toEqual(sorted(c.changes)));

  it("is said in both languages", () => {
    const all = cases[1]?.changes ?? [];
    expect(all.map((c) => headingOf(sayer(en, "en"), c))).toEqual(["Order of channels in North", "TAC 1 (North): Channel", "Added: channel EMS in North", "Removed: channel STATE from North", "Added: channel AIR in North"]);
    expect(all.map((c) => headingOf(sayer(de, "de"), c))).toEqual(["Reihenfolge: Kanäle in North", "TAC 1 (North): Kanal", "Hinzugefügt: Kanal EMS in North", "Entfernt: Kanal STATE aus North", "Hinzugefügt: Kanal AIR in North"]);
    const say = sayer(en, "en");
    expect([undefined, true, [], ["A", "B"], 5, "x"].map((v) => valueOf(say, "zones[1].nacIds", v))).toEqual(["none", "on", "none", "A, B", "5", "x"]);
    expect(valueOf(say, "zones[1].channels[2].type", "trunked")).toBe("Trunked");
  });
});
