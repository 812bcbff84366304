// A script that never comes back blocks this process in a read. So somebody outside
// looks at the clock and kills the VM by its pid: a thread that shares one cell with us,
// pid, patience and turn. The turn is odd while the others are being written.
import { Worker } from "node:worker_threads";

const source = `
const { workerData } = require("node:worker_threads");
const cell = new Int32Array(workerData);
for (;;) {
  Atomics.wait(cell, 0, 0);              // 0: nothing is running
  const turn = Atomics.load(cell, 2);
  const [pid, patience] = [Atomics.load(cell, 0), Atomics.load(cell, 1)];
  if (pid === 0 || turn % 2 !== 0 || Atomics.load(cell, 2) !== turn) continue;
  if (Atomics.wait(cell, 2, turn, patience) === "timed-out" && Atomics.load(cell, 2) === turn) {
    try { process.kill(pid, "SIGKILL"); } catch {}
    Atomics.wait(cell, 2, turn);
  }
}`;

export class Watchdog {
  #cell = new Int32Array(new SharedArrayBuffer(12));
  #worker;
  #running = [];

  /** enter says that a VM is about to run; call what it returns when the VM is back. */
  enter(pid, patience) {
    if (!this.#worker) {
      this.#worker = new Worker(source, { eval: true, workerData: this.#cell.buffer });
      this.#worker.unref();
    }
    this.#running.push([pid, patience]);
    this.#watch();
    return () => {
      this.#running.pop();
      this.#watch();
    };
  }

  // The innermost VM is the one that is running: the others wait for it.
  #watch() {
    const [pid, patience] = this.#running.at(-1) ?? [0, 0];
    Atomics.add(this.#cell, 2, 1);
    Atomics.store(this.#cell, 1, patience);
    Atomics.store(this.#cell, 0, pid);
    Atomics.add(this.#cell, 2, 1);
    Atomics.notify(this.#cell, 2);
    if (pid) Atomics.notify(this.#cell, 0);
  }
}
