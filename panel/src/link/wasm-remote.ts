// The page's side of wasm-worker.ts: the methods of Core, with promises.

import type { Answer, Core, Hashes, Kind, Order, Request, Start } from "./wasm";
import type { Answered, Asked } from "./wasm-worker";

/** A radio in a Worker. Requests are answered in order. */
export class RemoteCore {
  private readonly waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  private next = 1;

  private constructor(private readonly worker: Worker) {
    worker.onmessage = (e: MessageEvent<Answered>) => {
      const call = this.waiting.get(e.data.id);
      this.waiting.delete(e.data.id);
      if (e.data.error === undefined) call?.resolve(e.data.value);
      else call?.reject(new Error(e.data.error));
    };
    worker.onerror = (e) => this.fail(new Error(e.message || "the worker of the radio does not start"));
  }

  /** Loads core.wasm from its address in a Worker made of wasm-worker.ts. */
  static async open(worker: Worker, wasm: string): Promise<RemoteCore> {
    const remote = new RemoteCore(worker);
    await remote.send({ id: remote.next++, open: new URL(wasm, location.href).href });
    return remote;
  }

  start(start: Start, transcript = false): Promise<void> {
    return this.ask("start", start, transcript);
  }

  apply(request: Request): Promise<Answer> {
    return this.ask("apply", request);
  }

  command(order: Order): Promise<Answer> {
    return this.ask("command", order);
  }

  tick(now: number): Promise<Answer> {
    return this.ask("tick", now);
  }

  view(kind: Kind, at = 0, user = 0): Promise<unknown> {
    return this.ask("view", kind, at, user);
  }

  snapshot(): Promise<Start> {
    return this.ask("snapshot");
  }

  hash(): Promise<Hashes> {
    return this.ask("hash");
  }

  call(...args: Parameters<Core["call"]>): Promise<string> {
    return this.ask("call", ...args);
  }

  /** Ends the Worker; requests that wait are rejected. */
  close(): void {
    this.worker.terminate();
    this.fail(new Error("the radio was closed"));
  }

  private ask<T>(method: Extract<Asked, { method: string }>["method"], ...args: unknown[]): Promise<T> {
    return this.send({ id: this.next++, method, args }) as Promise<T>;
  }

  private send(asked: Asked): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.waiting.set(asked.id, { resolve, reject });
      this.worker.postMessage(asked);
    });
  }

  private fail(error: Error): void {
    for (const call of this.waiting.values()) call.reject(error);
    this.waiting.clear();
  }
}
