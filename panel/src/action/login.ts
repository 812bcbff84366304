import { Refusal } from "../link/link";
import { ask } from "../link/rest";
import { t } from "../i18n/language.svelte";
import type { Panel } from "../panel";

/** Logs in with the dispatch NAC id. What is wrong is shown at the login. */
export async function login(p: Panel, nacId: string, callsign: string): Promise<void> {
  p.session({ busy: true, error: "" });
  try {
    const reply = await ask("POST /radio/dispatch/auth", { nacId, callsign }, null);
    p.enter({ sessionId: reply.sessionId, authToken: reply.authToken, callsign, since: Date.now() });
  } catch (e) {
    if (!(e instanceof Refusal)) throw e;
    if (e.status === 0) return p.session({ busy: false, error: t("login.unreachable") });
    await import("../view/trouble").catch(() => undefined);
    p.session({
      busy: false,
      error: e.status === 503 ? t("login.storage", { error: e.message }) : e.message,
      until: e.status === 429 ? Date.now() + 1000 * e.retryAfter : 0,
    });
  }
}

export function logout(p: Panel): void {
  p.leave();
}
