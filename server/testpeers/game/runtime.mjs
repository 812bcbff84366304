// One resource running on one side: a VM, and the time that its scripts have taken.
import { entry, unpack } from "./wire.mjs";

export class Runtime {
  spent = 0; // milliseconds in its scripts and the natives that they called, others' exports not counted
  entries = 0;
  slowest = 0; // milliseconds of its longest tick

  constructor(side, manifest, instance) {
    Object.assign(this, { side, manifest, instance, name: manifest.name });
  }

  enter(op, payload, ...args) {
    const { stack, clock } = this.side;
    const call = { runtime: this, inner: 0 };
    const start = performance.now();
    stack.push(call);
    this.entries++;
    try {
      return this.vm.enter(entry(op, Math.floor(clock.now()), payload, ...args));
    } finally {
      stack.pop();
      const took = performance.now() - start;
      this.spent += took - call.inner;
      if (op === "tick") this.slowest = Math.max(this.slowest, took - call.inner);
      const outer = stack.at(-1);
      if (outer) outer.inner += took;
    }
  }

  /** account begins to count what scripts cost, and says what they have cost since it last did. */
  account() {
    return unpack(this.enter("account"));
  }

  /** memory of the scripts after a full collection, in bytes, and the functions that others hold. */
  memory() {
    const [bytes, references] = unpack(this.enter("memory"));
    return { bytes, references };
  }
}
