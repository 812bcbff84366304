// The sandbox in a page of a browser, with the real DOM: to see that it does the same
// there. Nothing else may run in that page: its clock is the run's.

import { Core } from "../../link/wasm";
import type { Host } from "./host";

/** A host in this page, and the transcript that it keeps. */
export async function hostInPage(wasm: BufferSource): Promise<{ host: Host; entries: string[] }> {
  const core = await Core.load(wasm);
  const entries: string[] = [];
  let rejected: unknown[] = [];
  addEventListener("unhandledrejection", (e) => {
    e.preventDefault();
    rejected.push(e.reason);
  });
  addEventListener("error", (e) => {
    e.preventDefault();
    reportError(e.error); // the run has put its own in the place of the browser's
  });
  const waiting: (() => void)[] = [];
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => waiting.shift()?.();
  const host: Host = {
    core: (name, json) => (name === "tick" ? JSON.stringify(core.tick(Number(json))) : core.call(name as Parameters<Core["call"]>[0], json)),
    later: (f) => {
      waiting.push(f);
      port2.postMessage(null);
    },
    script: (name, source) => {
      const script = document.createElement("script");
      script.textContent = `${source}\n//# sourceURL=${name}`;
      document.head.append(script);
      script.remove();
    },
    unhandled: () => {
      const all = rejected;
      rejected = [];
      return all;
    },
    note: (entry) => void entries.push(entry),
  };
  return { host, entries };
}
