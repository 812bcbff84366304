// The way to the game's Lua: NUI callbacks there, window messages back.

import type { FromLua, ToLua } from "./message";

export interface Port {
  /** Sends, in order where order matters, and returns Lua's answer; null if there is none. */
  post<N extends keyof ToLua>(name: N, data: ToLua[N]): Promise<unknown>;
}

/** What must reach Lua in the order in which it happened. The others need not wait for these. */
const ordered = new Set<keyof ToLua>(["event", "ack", "ptt", "connection", "mic"]);

export type Send = (name: string, data: unknown) => Promise<unknown>;

/** A port that keeps the order: one ordered message is under way at a time. */
export class OrderedPort implements Port {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly send: Send) {}

  post<N extends keyof ToLua>(name: N, data: ToLua[N]): Promise<unknown> {
    const send = (): Promise<unknown> => this.send(name, data).catch(() => null); // Lua has no such callback, or the resource has stopped
    if (!ordered.has(name)) return send();
    return (this.#last = this.#last.then(send));
  }
}

/** The name of the resource that this page belongs to. */
function resource(): string {
  const told = (window as { GetParentResourceName?: () => string }).GetParentResourceName?.();
  return told ?? location.hostname.replace(/^cfx-nui-/, "");
}

/** toGame sends by NUI callback. */
export function toGame(): Send {
  const to = `https://${resource()}/`;
  return async (name, data) => {
    const answer = await fetch(to + name, {
      method: "POST",
      headers: { "Content-Type": "application/json; charset=UTF-8" },
      body: JSON.stringify(data),
    });
    return answer.json();
  };
}

/** toParent sends to the page around this one, which plays the game. */
export function toParent(): Send {
  return (name, data) => {
    window.parent.postMessage({ callback: name, data }, location.origin);
    return Promise.resolve(null);
  };
}

/** hear calls take with every message of Lua. */
export function hear(take: (message: FromLua) => void): void {
  window.addEventListener("message", (e: MessageEvent) => {
    const { data } = e;
    if (typeof data === "object" && data !== null && typeof data.type === "string") take(data as FromLua);
  });
}
