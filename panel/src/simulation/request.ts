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
export type Plain = Exclude<Deed, { do: "talk" | "release" | "on" | "off" | "quit" | "mute" | "unmute" | "link" }>;

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

/** What is sent when it is switched off, and when its player leaves the game too. */
export function departure(unit: number, quits: boolean): Request[] {
  const off = event(unit, "disconnect");
  return quits && unit > 0 ? [off, { by: outside, what: { route: "POST /api/player/drop" }, payload: { serverId: unit } }] : [off];
}

/** The request of an action by a unit; unit 0 is a program outside the radio. */
export function requestOf(d: Plain, unit: number, air: Pick<Air, "channel" | "words">, picture: Picture): Request {
  const frequency = (named: string): string => air.channel(named) ?? named; // the radio answers that there is none
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
    case "acknowledge":
      return call(unit, "POST /radio/dispatch/emergency/acknowledge", { id: emergencyOf(d.who, picture) });
    case "close":
      return call(unit, "POST /radio/dispatch/emergency/close", {
        id: emergencyOf(d.who, picture), reason: d.reason ?? "resolved", ...(d.note === undefined ? {} : { note: d.note }),
      });
    case "end":
      return call(0, "POST /radio/dispatch/panic", { serverId: d.who, enabled: false });
    case "patch":
      return call(unit, "POST /api/patch/create", { frequencies: d.channels.map(frequency), ...(d.label ? { label: d.label } : {}) });
    case "unpatch": {
      const id = picture.patchLabelled(d.label);
      if (id === null) throw new Error(`No patch has the label "${d.label}"`);
      return call(unit, "POST /api/patch/remove", { id });
    }
    case "broadcast":
      return call(unit, "POST /radio/dispatch/broadcast", { message: air.words(d.message), type: "General Alert" });
  }
}

function emergencyOf(unit: number, picture: Picture): string {
  const id = picture.emergencyOf(unit);
  if (id === null) throw new Error(`Unit ${unit} has no emergency`);
  return id;
}
