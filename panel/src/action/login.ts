import { Refusal } from "../link/link";
import { ask } from "../link/rest";
import { t } from "../i18n/language.svelte";
import type { Ports } from "../ports";

function words(e: Refusal): string {
  if (e.status === 0) return t("login.unreachable");
  if (e.status === 401) return t("login.invalid");
  if (e.status === 503) return t("login.storage", { error: e.message });
  return e.message;
}

/** Logs in with the dispatch NAC id. Errors are shown on the login page. */
export async function login(p: Ports, nacId: string, callsign: string): Promise<void> {
  p.session({ busy: true, error: "" });
  try {
    const reply = await ask("POST /radio/dispatch/auth", { nacId, callsign }, null);
    await p.enter({ sessionId: reply.sessionId, authToken: reply.authToken, callsign, since: Date.now() });
  } catch (e) {
    if (!(e instanceof Refusal)) throw e;
    p.session({
      busy: false,
      error: words(e),
      until: e.status === 429 ? Date.now() + 1000 * e.retryAfter : 0,
    });
  }
}

export function logout(p: Ports): void {
  p.leave();
}
