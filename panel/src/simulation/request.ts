import type { Actor, Answer } from "../link/wasm";
import type { Air, Deed, UnitScript } from "./api";
import type { Picture } from "./picture";

/** One request to the radio, by whom. */
export interface Request {
  by: Actor;
  what: { event: string } | { route: string };
  payload?: unknown;
}

/** Deeds that are a single request. */
export type Plain = Exclude<Deed, { do: "talk" | "release" | "on" | "off" | "link" }>;

/** Not a user: the game server, or a program outside the radio. */
const outside: Actor = { user: 0, surface: "rest" };

const event = (unit: number, name: string, payload?: unknown): Request => ({ by: { user: unit }, what: { event: name }, payload });

// REST is for dispatchers; the radio itself refuses players.
const call = (unit: number, route: string, payload: unknown): Request => ({
  by: { user: unit, surface: unit > 0 ? "socketio" : "rest" },
  what: { route },
  payload,
});

/** Sends a request. Throws an Error with what the radio says if it refuses. */
export async function send(air: Air, r: Request): Promise<Answer> {
  const answer = await air.ask(r.by, r.what, r.payload);
  if (answer.error) throw new Error(answer.error.message);
  return answer;
}

/** What a radio sends when it is switched on: the game server announces it, then it tunes in. */
export function arrival(u: UnitScript, frequency: (named: string) => string): Request[] {
  const known = { serverId: u.id, name: u.name, ...(u.nacId ? { nacId: u.nacId } : {}) };
  const out: Request[] = [];
  if (u.id > 0) out.push({ by: outside, what: { route: "POST /api/player/connect" }, payload: { ...known, ...(u.unitId ? { unitId: u.unitId } : {}) } });
  out.push(event(u.id, "connect", known));
  if (u.callsign) {
    const route = u.id > 0 ? "POST /dispatch/user/set-player-callsign" : "POST /dispatch/user/update-callsign";
    out.push({ by: outside, what: { route }, payload: { userId: u.id, callsign: u.callsign } });
  }
  if (u.on) out.push(event(u.id, "setSpeakerChannel", frequency(u.on)));
  for (const named of u.scans ?? []) out.push(event(u.id, "addListeningChannel", frequency(named)));
  return out;
}

export const departure = (unit: number): Request => event(unit, "disconnect");

/** The request of an action by a unit; unit 0 is a program outside the radio. */
export function requestOf(d: Plain, unit: number, frequency: (named: string) => string, picture: Picture): Request {
  switch (d.do) {
    case "join":
      return event(unit, "setSpeakerChannel", frequency(d.channel));
    case "leave":
      return event(unit, "setSpeakerChannel", null);
    case "scan":
      return event(unit, "addListeningChannel", frequency(d.channel));
    case "unscan":
      return event(unit, "removeListeningChannel", frequency(d.channel));
    case "panic":
      return event(unit, "panic", { enabled: true });
    case "calm":
      return event(unit, "panic", { enabled: false });
    case "alert":
      return unit === 0
        ? call(0, "POST /radio/dispatch/alert/trigger", { frequency: frequency(d.channel), alertType: d.alert })
        : event(unit, "triggerAlert", { frequency: frequency(d.channel), enabled: true, alertType: d.alert });
    case "clear":
      return unit === 0
        ? call(0, "POST /radio/dispatch/alert/clear", { frequency: frequency(d.channel) })
        : event(unit, "triggerAlert", { frequency: frequency(d.channel), enabled: false });
    case "move":
      return call(unit, "POST /radio/dispatch/switchChannel", { serverId: d.who, frequency: frequency(d.channel), oldFrequency: null });
    case "patch":
      return call(unit, "POST /api/patch/create", { frequencies: d.channels.map(frequency), ...(d.label ? { label: d.label } : {}) });
    case "unpatch": {
      const id = picture.patchLabelled(d.label);
      if (id === null) throw new Error(`No patch has the label "${d.label}"`);
      return call(unit, "POST /api/patch/remove", { id });
    }
    case "broadcast":
      return call(unit, "POST /radio/dispatch/broadcast", { message: d.message, type: "General Alert" });
  }
}
