// Everything that the console does, under the names that keys, the palette and themes
// use. Buttons may call the functions themselves.

import type { Ports } from "../ports";
import type { Action } from "./define";
import { type Args, check, type Wrong } from "./schema";
import { arrangement } from "./table/arrange";
import { channels } from "./table/channel";
import { desk } from "./table/desk";
import { emergencies } from "./table/emergency";
import { talk } from "./table/talk";
import { units } from "./table/unit";

export const actions: readonly Action[] = [...talk, ...channels, ...emergencies, ...units, ...arrangement, ...desk];

const byId = new Map(actions.map((a) => [a.id, a]));

export type Outcome = { ok: true } | ({ ok: false } & Wrong);

/** Null: it can be done now with these arguments. The field "id": there is no such action; "": not now. */
export function refusal(p: Ports, id: string, args: Args = {}): Wrong | null {
  const action = byId.get(id);
  if (!action) return { field: "id", error: `no action ${JSON.stringify(id)}` };
  const wrong = check(p, action.args, args);
  if (wrong) return wrong;
  return action.enabled?.(p, args) === false ? { field: "", error: "not possible now" } : null;
}

/** Does it, if its arguments are right. What it asks of the radio may still be refused; that is shown. */
export function run(p: Ports, id: string, args: Args = {}): Outcome {
  const wrong = refusal(p, id, args);
  if (wrong) return { ok: false, ...wrong };
  void byId.get(id)?.run(p, args);
  return { ok: true };
}
