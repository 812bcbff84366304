// The way to the game's Lua: NUI callbacks there, window messages back.

import type { FromLua, ToLua } from "./message";

export interface Port {
  /** Sends, in order where order matters, and returns Lua's answer; null if there is none. */
  post<N extends keyof ToLua>(name: N, data: ToLua[N]): Promise<unknown>;
}

/** What must reach Lua in the order in which it happened, by the queue that it waits in: buttons do not wait for events. */
const queues: { [N in keyof ToLua]?: string } = { event: "events", ack: "events", ptt: "events", connection: "events", mic: "events", ui: "buttons" };

export type Send = (name: string, data: unknown) => Promise<unknown>;

/** A port that keeps the order: one message of a queue is under way at a time. */
export class OrderedPort implements Port {
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(private readonly send: Send) {}

  post<N extends keyof ToLua>(name: N, data: ToLua[N]): Promise<unknown> {
    const send = (): Promise<unknown> => this.send(name, data).catch(() => null); // Lua has no such callback, or the resource has stopped
    const queue = queues[name];
    if (queue === undefined) return send();
    const sent = (this.#last.get(queue) ?? Promise.resolve()).then(send);
    this.#last.set(queue, sent);
    return sent;
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
