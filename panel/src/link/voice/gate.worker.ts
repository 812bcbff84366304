// A Worker between the browser's Opus encoder and the network: a page that is busy delays
// no frame.

import { Kept, Passage, type Asked, type Passed } from "./passage";

/** How long a frame takes from here to the network at most, in ms: encryption and the browser's pacer. */
const departure = 4;

interface Transformer {
  readable: ReadableStream;
  writable: WritableStream;
}

const scope = self as unknown as {
  onmessage: ((e: MessageEvent<Asked>) => void) | null;
  onrtctransform: ((e: { transformer: Transformer }) => void) | null;
  postMessage(passed: Passed): void;
};

const kept = new Kept();
const passage = new Passage(
  () => performance.now(),
  (close) => void setTimeout(() => scope.postMessage(close), departure),
);

scope.onrtctransform = ({ transformer: { readable, writable } }) => {
  const gate = new TransformStream({
    transform: (frame, to) => {
      if (!passage.takes()) return;
      kept.add((frame as { data: ArrayBuffer }).data);
      to.enqueue(frame);
    },
  });
  readable.pipeThrough(gate).pipeTo(writable).catch(() => undefined); // the connection has ended
};

scope.onmessage = ({ data }) => {
  if ("last" in data) return scope.postMessage(kept.last(data.last));
  if (!data.open) return passage.close(data.close);
  kept.clear();
  passage.open();
};
