import { expect, test } from "vitest";
import { addressOf, readChoice } from "./address";

test("an address says how scenes are drawn, and is read again", () => {
  const choice = readChoice(new URLSearchParams("theme-lab&theme=ops-wall&look=day&density=dense&language=de&size=1920×1080"), "en");
  expect(choice).toEqual({ theme: "ops-wall", look: "day", density: "dense", language: "de", size: "1920×1080" });
  expect(readChoice(new URLSearchParams(addressOf(choice).slice(1)), "en")).toEqual(choice);
});

test("what is missing or unknown is as the console is by default", () => {
  const usual = { theme: "", look: "night", density: "comfortable", language: "de", size: "1440×900" };
  expect(readChoice(new URLSearchParams(""), "de")).toEqual(usual);
  expect(readChoice(new URLSearchParams("look=noon&density=thick&language=fr&size=1×1"), "de")).toEqual(usual);
});

test("a scene's address names it, and a watched folder stays watched", () => {
  const choice = readChoice(new URLSearchParams(""), "en");
  expect(addressOf(choice, { scene: "rest" })).toBe("?theme-lab&scene=rest&look=night&density=comfortable&language=en");
  expect(new URLSearchParams(addressOf({ ...choice, theme: "a&b" }, { dev: true }).slice(1)).has("dev")).toBe(true);
  expect(readChoice(new URLSearchParams(addressOf({ ...choice, theme: "a&b" }).slice(1)), "en").theme).toBe("a&b");
});
