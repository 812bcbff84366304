import { afterEach, expect, test, vi } from "vitest";
import { begin } from "./address";
import type { Control, Scenario } from "./api";
import { textIn } from "./text";

afterEach(() => void vi.unstubAllGlobals());

/** What an address does: the scenarios begun, the speeds set, and the problems shown. */
async function opens(href: string, answer: () => Promise<Response> = () => Promise.reject(new Error("offline"))): Promise<string[]> {
  const done: string[] = [];
  vi.stubGlobal("fetch", (url: URL) => (done.push(`fetch ${url.href}`), answer()));
  const control = {
    choose: async (s: Scenario) => void done.push(textIn("en", s.name)),
    open: async (text: string, name: string) => void done.push(`${name}: ${text}`),
    setRate: (rate: number) => void done.push(`rate ${rate}`),
    report: (problem: string) => void done.push(`! ${problem}`),
  } as unknown as Control;
  await begin(control, { href, search: new URL(href).search });
  return done;
}

test("the address says with what it begins", async () => {
  expect(await opens("https://a.test/x/?simulate")).toEqual(["Demo"]);
  expect(await opens("https://a.test/x/?simulate=storm&hold")).toEqual(["Storm", "rate 0"]);
  const file = await opens("https://a.test/x/?simulate=shifts/monday.json", async () => new Response("{}"));
  expect(file).toEqual(["fetch https://a.test/x/shifts/monday.json", "shifts/monday.json: {}"]);
});

test("a file that cannot be had is said, and the first scenario begins", async () => {
  expect(await opens("https://a.test/?simulate=gone.json")).toEqual(["fetch https://a.test/gone.json", "Demo", "! gone.json: offline"]);
  expect((await opens("https://a.test/?simulate=gone.json", async () => new Response("", { status: 404 }))).at(-1)).toMatch(/^! gone.json: 404/);
  expect(await opens("https://a.test/?simulate=https://b.test/x.json")).toEqual(["Demo", "! https://b.test/x.json: must be on this web server"]);
});
