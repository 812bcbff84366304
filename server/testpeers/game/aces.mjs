// Permissions as the game server decides them. An object is looked up as itself and then
// level by level to its root; there is no wildcard. For one principal, with all that it
// inherits, any denial on that walk wins; but a player is several principals, asked one
// by one, and one that passes is enough.
export class Aces {
  #entries = new Map(); // principal -> object -> true to allow, false to deny
  #parents = new Map(); // principal -> set of principals that it inherits from

  add(principal, object, verdict) {
    if (verdict !== "allow" && verdict !== "deny") throw new Error(`add_ace: the last word is allow or deny, not ${verdict}`);
    const entries = at(this.#entries, principal.toLowerCase(), Map);
    entries.set(object.toLowerCase(), verdict === "allow");
  }

  remove(principal, object) {
    this.#entries.get(principal.toLowerCase())?.delete(object.toLowerCase());
  }

  inherit(child, parent) {
    at(this.#parents, child.toLowerCase(), Set).add(parent.toLowerCase());
  }

  disinherit(child, parent) {
    this.#parents.get(child.toLowerCase())?.delete(parent.toLowerCase());
  }

  /** allowed asks for one principal. */
  allowed(principal, object) {
    const principals = new Set();
    const walk = (name) => {
      if (principals.has(name)) return;
      principals.add(name);
      for (const parent of this.#parents.get(name) ?? []) walk(parent);
    };
    walk(principal.toLowerCase());
    walk("builtin.everyone");
    let allowed = false;
    for (let name = object.toLowerCase(); name; name = name.includes(".") ? name.slice(0, name.lastIndexOf(".")) : "") {
      for (const each of principals) {
        const verdict = this.#entries.get(each)?.get(name);
        if (verdict === false) return false;
        if (verdict) allowed = true;
      }
    }
    return allowed;
  }

  /** anyAllowed asks for each of a player's principals separately. */
  anyAllowed(principals, object) {
    return principals.some((principal) => this.allowed(principal, object));
  }
}

const at = (map, key, Kind) => {
  if (!map.has(key)) map.set(key, new Kind());
  return map.get(key);
};
