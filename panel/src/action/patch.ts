import { t } from "../i18n/language.svelte";
import type { Ports } from "../ports";

/** Patches channels; returns the id of the patch. Rejects with what the service says: 409 on a conflict. */
export async function createPatch(p: Ports, frequencies: string[], label = ""): Promise<string> {
  const patch = await p.link.request("POST /api/patch/create", { frequencies, ...(label ? { label } : {}) });
  return patch.id;
}

export function removePatch(p: Ports, id: string): Promise<boolean> {
  return p.attempt(t("patch.title"), p.link.request("POST /api/patch/remove", { id }));
}
