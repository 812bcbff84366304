// What stands in the game: peds of players, and vehicles. Both sides see the same
// handles; a client sees only what is near.
import { Vector3 } from "./wire.mjs";

export const scope = 424; // metres within which a client knows of another player's ped

export class World {
  #entities = new Map();
  #last = 1000;

  add(entity) {
    const handle = ++this.#last;
    this.#entities.set(handle, { handle, position: { x: 0, y: 0, z: 30 }, heading: 0, health: 200, vehicle: 0, ...entity });
    return handle;
  }

  remove(handle) {
    this.#entities.delete(handle);
  }

  get(handle) {
    return this.#entities.get(handle);
  }

  coords(handle) {
    const { x, y, z } = this.get(handle)?.position ?? { x: 0, y: 0, z: 0 };
    return new Vector3(x, y, z);
  }

  distance(a, b) {
    const [p, q] = [this.coords(a), this.coords(b)];
    return Math.hypot(p.x - q.x, p.y - q.y, p.z - q.z);
  }

  /** vehicle puts a ped into a new vehicle and returns its handle. */
  vehicle(ped, more = {}) {
    const handle = this.add({ kind: "vehicle", position: { ...this.get(ped).position }, lights: false, siren: false, ...more });
    this.get(ped).vehicle = handle;
    return handle;
  }
}
