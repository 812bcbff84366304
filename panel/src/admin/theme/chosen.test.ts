import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { en } from "../../i18n/admin/en";
import { sayer } from "../say";
import { dropped, held, most, type Dropped } from "./chosen";

const say = sayer(en, "en");
const zip = new File(["PK"], "night.zip");
const item = (more: Partial<Dropped> = {}): Dropped => ({ kind: "file", getAsFile: () => zip, webkitGetAsEntry: () => ({ isDirectory: false, name: "night.zip" }), ...more });

describe("a theme's file", () => {
  it("is the one file that is dropped", () => {
    expect(dropped(say, [item({ kind: "string" }), item()])).toBe(zip);
    expect(dropped(say, [item({ kind: "string" })])).toBeUndefined();
    expect(dropped(say, [item(), item()])).toBe("Drop one zip file at a time.");
    expect(dropped(say, [item({ webkitGetAsEntry: () => ({ isDirectory: true, name: "night" }) })])).toMatch(/^night is a folder\. Pack it/);
  });

  it("is held as it was when it was chosen, unless it is too large or gone", async () => {
    const blob = await held(say, zip);
    expect(blob).toBeInstanceOf(Blob);
    expect(await (blob as Blob).text()).toBe("PK");
    expect(await held(say, new File([new Uint8Array(most + 1)], "big.zip"))).toBe("big.zip is larger than 5.3 MB, more than any theme may be.");
    const gone = Object.assign(new File(["PK"], "gone.zip"), { arrayBuffer: () => Promise.reject(new DOMException("gone", "NotReadableError")) });
    expect(await held(say, gone)).toBe("gone.zip cannot be read. Choose it again.");
  });

  it("may be as large as the service takes", () => {
    const source = readFileSync(join(import.meta.dirname, "../../../../core/wire/theme_service.go"), "utf8");
    expect(source).toContain("ThemeBytes = 5<<20 + 64<<10");
    expect(most).toBe((5 << 20) + (64 << 10));
  });
});
