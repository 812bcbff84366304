import { beforeEach, expect, it } from "vitest";
import { testPorts, type TestPorts } from "../action/ports.testing";
import { updateSettings } from "../action/settings";
import type { Theme } from "../wire.gen";
import { chosen, fileOf, installed } from "./installed";

let p: TestPorts;
beforeEach(() => void (p = testPorts()));

it("the desk's choice comes before the operator's", () => {
  expect(chosen(p.store.now)?.slug).toBe("quiet"); // the default
  updateSettings(p, { theme: "wall" });
  expect(chosen(p.store.now)?.slug).toBe("wall");
  updateSettings(p, { theme: "" });
  expect(chosen(p.store.now)).toBeNull();
  updateSettings(p, { theme: "gone" });
  expect(chosen(p.store.now)).toBeNull();
  p.store.change((s) => ({ ...s, radio: { ...s.radio, config: null } }));
  updateSettings(p, { theme: null });
  expect(chosen(p.store.now)).toBeNull();
});

it("a theme of an older service, without a build, cannot be chosen", () => {
  p.store.change((s) => ({ ...s, radio: { ...s.radio, config: { ...s.radio.config!, themes: [{ slug: "quiet", name: "Quiet" } as Theme] } } }));
  expect(installed(p.store.now)).toEqual([]);
  expect(chosen(p.store.now)).toBeNull();
});

it("files are addressed from the page's folder", () => {
  expect(fileOf({ slug: "wall", build: "b1" } as Theme, "a b/style#1.css")).toBe("themes/wall/b1/a%20b/style%231.css");
});
