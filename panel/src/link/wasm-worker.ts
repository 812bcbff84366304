// A Worker with one radio in it, so that the page never waits for the radio.
// wasm-remote.ts talks to it.

import { Core } from "./wasm";

/** What the page sends: open first, then calls, answered in order. */
export type Asked =
  | { id: number; open: string } // the address of core.wasm
  | { id: number; method: "start" | "apply" | "command" | "tick" | "view" | "snapshot" | "hash" | "call"; args: unknown[] };

/** What the page gets back for each. */
export type Answered = { id: number; value?: unknown; error?: string };

const scope = self as unknown as { onmessage: ((e: MessageEvent<Asked>) => void) | null; postMessage(answer: Answered): void };

let core: Promise<Core> | undefined;

async function answer(asked: Asked): Promise<unknown> {
  if ("open" in asked) {
    core = Core.load(fetch(asked.open));
    await core;
    return undefined;
  }
  if (!core) throw new Error("the radio is not open");
  const method = (await core)[asked.method] as (...args: unknown[]) => unknown;
  return method.apply(await core, asked.args);
}

scope.onmessage = (e) => {
  answer(e.data).then(
    (value) => scope.postMessage({ id: e.data.id, value }),
    (error: unknown) => scope.postMessage({ id: e.data.id, error: error instanceof Error ? error.message : String(error) }),
  );
};
