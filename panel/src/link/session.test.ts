import { expect, test } from "vitest";
import { keepSession, keptSession } from "./session";

class Box {
  #kept = new Map<string, string>();
  getItem = (k: string): string | null => this.#kept.get(k) ?? null;
  setItem = (k: string, v: string): void => void this.#kept.set(k, v);
  removeItem = (k: string): void => void this.#kept.delete(k);
}
const box = (): Storage => new Box() as unknown as Storage;

test("a session is kept, and forgotten at logout", () => {
  const storage = box();
  expect(keptSession(storage)).toBeNull();
  const c = { sessionId: "s", authToken: "t", callsign: "NORTH", since: 5 };
  keepSession(storage, c);
  expect(keptSession(storage)).toEqual(c);
  keepSession(storage, { ...c, me: -7 });
  expect(keptSession(storage)).toEqual({ ...c, me: -7 });
  keepSession(storage, null);
  expect(keptSession(storage)).toBeNull();
});

test("a value that is not a session is ignored", () => {
  for (const odd of ["{", "5", "null", '{"sessionId":5,"authToken":"t"}', '{"sessionId":"s"}']) {
    const storage = box();
    storage.setItem("squelch.session", odd);
    expect(keptSession(storage)).toBeNull();
  }
});
