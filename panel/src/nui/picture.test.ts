import { expect, it } from "vitest";
import { after, off, themes, whole } from "./picture";

it("takes what Lua leaves out as not there any more", () => {
  const v = whole({ type: "view", power: true, channel: { name: "A", frequency: "1", type: "conventional", canTransmit: true } });
  expect(v).toMatchObject({ power: true, channel: { name: "A" }, talker: null, alert: null });
  expect(whole({ type: "view" })).toEqual(off);
});

it("takes empty lists of Lua, which may come as objects", () => {
  expect(whole({ type: "view", listening: {} as never, zones: ["A"] })).toMatchObject({ listening: [], zones: ["A"] });
});

it("keeps nothing that is no part of the picture", () => {
  expect(whole({ type: "view", layout: "x" } as never)).not.toHaveProperty("layout");
});

it("goes round", () => {
  expect(after(themes, "contrast")).toBe("standard");
  expect(after<string>(themes, "nothing of it")).toBe("standard");
});
