import { expect, test } from "vitest";
import { changeOf, type Folder } from "./folder";

const folder = (more: Partial<Folder> = {}): Folder => ({ slug: "dusk", folder: "/home/ana/dusk", at: 0, style: "a", rest: "b", error: "", removed: [], hints: [], ...more });

test("a style sheet alone needs no new page, a script does", () => {
  expect(changeOf(null, folder())).toBe("nothing"); // the page has just been opened with it
  expect(changeOf(folder(), folder({ at: 5 }))).toBe("nothing");
  expect(changeOf(folder(), folder({ style: "c" }))).toBe("style");
  expect(changeOf(folder(), folder({ rest: "c" }))).toBe("theme");
  expect(changeOf(folder(), folder({ style: "c", rest: "d" }))).toBe("theme");
  expect(changeOf(folder(), folder({ error: "theme.json: slug: missing" }))).toBe("nothing"); // what is served stays as it was
});
