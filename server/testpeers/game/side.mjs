// A side of the game, server or client: its resources, and what they do with each other.
// Nothing is shared between two of them but bytes that go through here.
import { natives as declared } from "./declared.mjs";
import { Runtime } from "./runtime.mjs";
import { NIL, pack, Reference, unpack } from "./wire.mjs";

/** Many is what a native returns that has several results. */
export class Many {
  constructor(...values) {
    this.values = values;
  }
}

let instances = 0;

export class Side {
  runtimes = new Map();
  stack = []; // of calls that are running, the innermost last
  ticks = 0;
  canceled = false;
  truth = 1; // a native that says yes: 1 in some builds of the game, true in others
  #listeners = new Map(); // event -> set of resources
  #functions = new Map(); // of the host: id -> function
  #lastFunction = 0;
  #later = []; // what happens with the next tick

  constructor({ kind, open, clock, console, natives }) {
    Object.assign(this, { kind, open, clock, console, natives });
  }

  async launch(manifest) {
    if (this.runtimes.has(manifest.name)) throw new Error(`${manifest.name} is running already`);
    const instance = ++instances;
    const runtime = new Runtime(this, manifest, instance);
    runtime.vm = await this.open({ resource: manifest.name, side: this.kind, instance, cross: (bytes) => this.#cross(runtime, unpack(bytes)) });
    this.runtimes.set(manifest.name, runtime);
    const published = manifest.exports(this.kind);
    if (published.length > 0) runtime.enter("publish", pack(published));
    for (const file of manifest.scripts(this.kind)) runtime.enter("load", manifest.read(file), `${manifest.name}/${file}`);
    return runtime;
  }

  halt(name) {
    const runtime = this.runtimes.get(name);
    if (!runtime) return;
    this.runtimes.delete(name);
    for (const resources of this.#listeners.values()) resources.delete(name);
    this.forget?.(name);
    runtime.vm.close();
  }

  close() {
    for (const name of [...this.runtimes.keys()].reverse()) this.halt(name);
  }

  /** later runs f with the next tick, as the engine does with what it queues. */
  later(f) {
    this.#later.push(f);
  }

  tick() {
    this.ticks++;
    const due = this.#later;
    this.#later = [];
    for (const f of due) f();
    for (const runtime of [...this.runtimes.values()]) runtime.enter("tick");
  }

  /** emit triggers an event; args are values, or packed bytes. It is false when a handler canceled it. */
  emit(name, args = [], origin = "") {
    const payload = Buffer.isBuffer(args) ? args : pack(args);
    const before = this.canceled;
    this.canceled = false;
    for (const resource of [...(this.#listeners.get(name) ?? [])]) this.runtimes.get(resource)?.enter("event", payload, name, origin);
    const passed = !this.canceled;
    this.lastCanceled = this.canceled;
    this.canceled = before;
    return passed;
  }

  /** call calls an export, as a script of this side would; it returns all results. */
  call(resource, name, ...args) {
    let found;
    this.emit(`__cfx_export_${resource}_${name}`, [this.reference((f) => (found = f))]);
    if (!found) throw new Error(`No such export ${name} in resource ${resource}`);
    return this.invoke(found, args);
  }

  /** invoke calls a function of a resource. One that waits gives a promise. */
  invoke(reference, args) {
    const results = unpack(this.#callref(reference.name, pack(args)));
    if (results === null || results === false) throw new Error(`the call failed: ${this.console.errors.at(-1) ?? "its resource has stopped"}`);
    const late = results[0]?.__cfx_async_retval;
    if (!(late instanceof Reference)) return unpacked(results);
    return new Promise((resolve, reject) => {
      this.invoke(late, [this.reference((values, failure) => (values ? resolve(unpacked(values)) : reject(new Error(String(failure)))))]);
    });
  }

  /** reference gives scripts a function of the host. */
  reference(f) {
    const id = ++this.#lastFunction;
    this.#functions.set(id, f);
    return new Reference(`host:0:${id}`);
  }

  /** invoking is the resource that called the one that runs now. */
  invoking() {
    const current = this.stack.at(-1)?.runtime;
    return this.stack.findLast(({ runtime }) => runtime !== current)?.runtime.name ?? null;
  }

  #owner(name) {
    const [resource, instance, id] = name.split(":");
    const runtime = this.runtimes.get(resource);
    return { runtime: runtime?.instance === Number(instance) ? runtime : undefined, f: resource === "host" ? this.#functions.get(Number(id)) : undefined, id: Number(id) };
  }

  #callref(name, payload) {
    const { runtime, f, id } = this.#owner(name);
    if (f) return pack([f(...unpacked(unpack(payload)))]);
    return runtime ? runtime.enter("callref", payload, id) : NIL;
  }

  #cross(runtime, [op, payload, ...args]) {
    switch (op) {
      case "trace":
        this.console.print(runtime.name, payload.toString());
        return NIL;
      case "listen":
        if (!this.#listeners.has(args[0])) this.#listeners.set(args[0], new Set());
        this.#listeners.get(args[0]).add(runtime.name);
        return NIL;
      case "event":
        return pack(this.emit(args[0], payload));
      case "callref":
        return this.#callref(args[0], payload);
      case "hold":
        this.#owner(args[0]).runtime?.enter("hold", undefined, this.#owner(args[0]).id, 1);
        return NIL;
      case "letgo":
        for (const name of args[0]) {
          const { runtime: owner, f, id } = this.#owner(name);
          if (f) this.#functions.delete(id);
          owner?.enter("hold", undefined, id, -1);
        }
        return NIL;
      case "declared":
        return pack(declared[this.kind].has(args[0]));
      case "native":
        return this.#native(runtime, args[0], unpacked(unpack(payload)));
      default:
        return this.carry(runtime, op, payload, args);
    }
  }

  #native(runtime, name, args) {
    if (!declared[this.kind].has(name)) throw new Error(`native ${name} is simulated but not declared for the ${this.kind}`);
    const native = this.natives[name];
    if (!native) throw new Error(`native ${name} is declared for the ${this.kind}, but not simulated`);
    const result = native.call(this, runtime, ...args);
    return pack(result instanceof Many ? result.values : [result === true ? this.truth : result]);
  }
}

/** unpacked is what Lua's table.unpack gives of a table: nothing after a hole in a map. */
export function unpacked(values) {
  if (Array.isArray(values)) return values;
  const list = [];
  for (let i = 1; values && i in values; i++) list.push(values[i]);
  return list;
}
