// What the page's address says: ?simulate begins with the first scenario,
// ?simulate=first-shift with that one, ?simulate=shifts/monday.json with a file next
// to the page. &hold stands still from the beginning.

import type { Control, Scenario } from "./api";
import { shipped } from "./scenarios";

/** Begins with the scenario that the page's address names. One that cannot be had is said, and the first one begins. */
export async function begin(control: Control, { search, href }: Pick<Location, "search" | "href">): Promise<void> {
  const asked = new URLSearchParams(search);
  const named = asked.get("simulate") ?? "";
  const known = shipped.find(({ id }) => id === (named || shipped[0]?.id));
  if (known) await control.choose(known.scenario);
  else await fromFile(control, named, href);
  if (asked.has("hold")) control.setRate(0);
}

async function fromFile(control: Control, named: string, page: string): Promise<void> {
  try {
    const file = new URL(named, page);
    if (file.origin !== new URL(page).origin) throw new Error("must be on this web server"); // a stranger's link shows nothing of a stranger's
    const answer = await fetch(file);
    if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
    await control.open(await answer.text(), named);
  } catch (e) {
    await control.choose(shipped[0]?.scenario as Scenario);
    control.report(`${named}: ${e instanceof Error ? e.message : String(e)}`);
  }
}
