import type { ClientEvents } from "./wire.gen.js";

type Name = keyof ClientEvents;
type Entry = { [N in Name]: [name: N, payload: ClientEvents[N]["payload"]] }[Name];

/** Events that register something: one of each kind is in force. */
const single: ReadonlySet<Name> = new Set<Name>(["updateUserInfo", "setCallsign", "setVoiceEncoding", "armAnnouncementGroup", "setSpeakerChannel", "loopback", "radioState"]);
/** Events that register one of many, and what takes it back. */
const many: Partial<Record<Name, Name>> = {
  removeListeningChannel: "addListeningChannel",
  stopListeningToUser: "listenToUser",
  remove3DListening: "add3DListening",
};
const adds: ReadonlySet<Name> = new Set(Object.values(many));

/** What a link has registered with the service, to be sent again on a new connection. */
export class Registrations {
  readonly #kept = new Map<string, Entry>();

  /** Notes an event that the service has taken. */
  note<N extends Name>(name: N, payload: ClientEvents[N]["payload"]): void {
    const entry = [name, payload] as unknown as Entry;
    const took = many[name];
    if (single.has(name)) this.#kept.set(name, entry);
    else if (adds.has(name)) this.#kept.set(keyOf(name, payload), entry);
    else if (took) this.#kept.delete(keyOf(took, payload));
  }

  /** Everything in force, in the order of its first registration. */
  all(): Entry[] {
    return [...this.#kept.values()];
  }
}

/** "154.750" and 154.75 are one channel. */
function keyOf(name: Name, payload: unknown): string {
  return `${name} ${Number(payload)}`;
}
