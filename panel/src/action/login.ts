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
    p.session({ busy: false, error: e.status === 0 ? t("login.unreachable") : e.message, until: Date.now() + 1000 * e.retryAfter });
    if (e.status !== 503) return;
    await import("../view/trouble");
    p.session({ error: t("login.storage", { error: e.message }), until: 0 });
  }
}

export function logout(p: Panel): void {
  p.leave();
}
