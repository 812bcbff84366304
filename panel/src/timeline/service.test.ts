import { expect, test } from "vitest";
import { Refusal } from "../link/link";
import { ServiceTimeline } from "./service";

/** A service that sends so much, and then nothing more until the request is given up. */
function stalling(first: Uint8Array<ArrayBuffer>): ServiceTimeline {
  return new ServiceTimeline(async (_route, _body, signal) => {
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(c) {
        c.enqueue(first);
        signal!.addEventListener("abort", () => c.error(signal!.reason));
      },
    });
    return new Response(body);
  });
}
const span = { from: 0, to: 1, frequencies: [] };

test("a file is read to its end, and what has arrived is told", async () => {
  const asked: string[] = [];
  const timeline = new ServiceTimeline(async (route) => {
    asked.push(route);
    return new Response(new Blob(["a zip"], { type: "application/zip" }));
  });
  let bytes = 0;
  const file = await timeline.exporting({ from: 5, to: 9, frequencies: ["154.755", "460.25"] }, { arrived: (n) => (bytes = n) });
  expect([await file.text(), file.type, bytes]).toEqual(["a zip", "application/zip", 5]);
  expect(asked).toEqual(["GET /api/recordings/export?from=5&to=9&frequency=154.755%2C460.25"]);
});

test("a file is given up in the middle", async () => {
  for (const make of [(t: ServiceTimeline, f: object) => t.exporting(span, f), (t: ServiceTimeline, f: object) => t.mix("154.755", 0, 1, "short", f)]) {
    const cancelling = new AbortController();
    const arrived = (): void => cancelling.abort();
    await expect(make(stalling(new Uint8Array(3)), { arrived, signal: cancelling.signal })).rejects.toBeInstanceOf(Refusal);
  }
});

test("a request is not even begun when it was given up before", async () => {
  const cancelled = AbortSignal.abort();
  const timeline = new ServiceTimeline(async (_route, _body, signal) => {
    if (signal?.aborted) throw new Refusal(0, "unreachable");
    return new Response("");
  });
  await expect(timeline.exporting(span, { signal: cancelled })).rejects.toBeInstanceOf(Refusal);
});
