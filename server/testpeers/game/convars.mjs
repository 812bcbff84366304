// Convars: `set` keeps a value on the server, `setr` replicates it to every client, `sets`
// shows it to the world. Any resource may read one until a permission for it exists.
export class Convars {
  #values = new Map(); // name -> { value, replicated }
  #readers = new Map(); // name -> set of resources

  set(name, value, replicated = false) {
    this.#values.set(name, { value: String(value), replicated });
  }

  permit(resource, verb, name) {
    if (verb !== "read" && verb !== "write") throw new Error(`add_convar_permission: ${verb} is neither read nor write`);
    if (verb !== "read") return;
    if (!this.#readers.has(name)) this.#readers.set(name, new Set());
    this.#readers.get(name).add(resource);
  }

  /** get reads as a resource of the server. */
  get(resource, name) {
    const readers = this.#readers.get(name);
    if (readers && !readers.has(resource)) return undefined;
    return this.#values.get(name)?.value;
  }

  /** replicated reads as a client. */
  replicated(name) {
    const found = this.#values.get(name);
    return found?.replicated ? found.value : undefined;
  }
}
