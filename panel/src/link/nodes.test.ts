import { beforeEach, describe, expect, it } from "vitest";
import type { Socket } from "socket.io-client";
import type { Nodes } from "../wire.gen";
import { follow } from "./nodes";
import { at } from "./rest";

/** Socket.IO's manager, as far as it is used. */
class FakeManager {
  opts: { path?: string } = {};
  uri: string | undefined;
  delay = 0;
  limit = 0;
  readonly #on: Record<string, () => void> = {};
  constructor(uri: string) {
    this.uri = uri;
  }
  timeout(ms: number): void {
    this.limit = ms;
  }
  reconnectionDelay(ms: number): void {
    this.delay = ms;
  }
  reconnectionDelayMax(): void {}
  randomizationFactor(): void {}
  on(name: string, f: () => void): void {
    this.#on[name] = f;
  }
  /** One attempt: how long it waited, where it goes. */
  attempt(): string {
    const waited = this.delay;
    this.#on["reconnect_attempt"]!();
    return `${waited} ${this.uri}${this.opts.path}`;
  }
  say(name: "close" | "open"): void {
    this.#on[name]!();
  }
}

const list = (...urls: string[]): Nodes => ({ self: "a", nodes: urls.map((url, i) => ({ name: `n${i}`, url })) });

function traveller(home: string, first: Nodes, path?: string) {
  const m = new FakeManager(home);
  if (path !== undefined) m.opts.path = path;
  let told: (n: Nodes) => void = () => undefined;
  const io = { io: m, on: (_: string, f: (n: Nodes) => void) => (told = f) } as unknown as Socket;
  follow(io, first, () => 0.5);
  return { m, tell: (n: Nodes) => told(n) };
}

beforeEach(() => (at.base = ""));

describe("a console whose node is gone", () => {
  it("asks it once more at once, then the others, and sends its requests there", () => {
    const { m } = traveller("http://a", list("http://b/r/county/"));
    m.say("close");
    expect(m.attempt()).toBe("0 http://a/socket.io");
    expect(m.limit).toBe(1_000);
    expect(m.attempt()).toBe("250 http://b/r/county/socket.io");
    expect(m.limit).toBe(2_000);
    m.say("open");
    expect(at.base).toBe("http://b/r/county");
  });

  it("keeps to its radio of a host with several", () => {
    const { m } = traveller("http://a", list("http://b/r/county"), "/r/county/socket.io");
    m.say("close");
    expect([m.attempt(), m.attempt()]).toEqual(["0 http://a/r/county/socket.io", "250 http://b/r/county/socket.io"]);
    m.say("open");
    expect(at.base).toBe("http://b/r/county");
  });

  it("comes back to its own when there is no other, with pauses that grow", () => {
    const { m } = traveller("http://a", list("http://b"));
    m.say("close");
    const all = Array.from({ length: 7 }, () => m.attempt());
    expect(all).toEqual([
      "0 http://a/socket.io", "250 http://b/socket.io",
      "500 http://a/socket.io", "250 http://b/socket.io",
      "1000 http://a/socket.io", "250 http://b/socket.io",
      "2000 http://a/socket.io",
    ]);
    m.say("open");
    expect(at.base).toBe("");
  });

  it("does not ask a node that leaves", () => {
    const { m, tell } = traveller("http://a", list("http://b"));
    tell({ ...list("http://b"), leaving: true });
    m.say("close");
    expect(m.attempt()).toBe("250 http://b/socket.io");
    m.say("open");
    m.say("close"); // before b has named the others
    expect(m.attempt()).toBe("0 http://b/socket.io");
    expect(m.attempt()).toBe("250 http://a/socket.io");
  });

  it("waits as usual when all others are gone", () => {
    const { m, tell } = traveller("http://a", list("http://b"));
    tell(list());
    m.say("close");
    expect(m.attempt()).toBe("500 http://a/socket.io");
  });

  it("never sends its token to a node without TLS when its page has it", () => {
    const { m } = traveller("https://a", list("http://b", "javascript:alert(1)", "https://c"));
    m.say("close");
    expect([m.attempt(), m.attempt()]).toEqual(["0 https://a/socket.io", "250 https://c/socket.io"]);
  });
});
