import type { Ports } from "../ports";

/** Hears a unit on whatever channel it speaks. */
export function followUser(p: Ports, id: number): void {
  if (p.store.now.desk.follows.includes(id)) return;
  p.store.change((s) => ({ ...s, desk: { ...s.desk, follows: [...s.desk.follows, id] } }));
  p.link.tell("listenToUser", id);
}

export function unfollowUser(p: Ports, id: number): void {
  if (!p.store.now.desk.follows.includes(id)) return;
  p.store.change((s) => ({ ...s, desk: { ...s.desk, follows: s.desk.follows.filter((x) => x !== id) } }));
  p.link.tell("stopListeningToUser", id);
}
