import type { Routes } from "../wire.gen";
import { Refusal } from "./link";
import type { Credentials } from "./session";

/** How long a request may take, ms. */
const requestTime = 10_000;

/** One request to the service. Rejects with a Refusal that says what is wrong. */
export async function ask<R extends keyof Routes>(
  route: R,
  body: Routes[R]["body"],
  who: Pick<Credentials, "sessionId" | "authToken"> | null,
): Promise<Routes[R]["reply"]> {
  const [method = "GET", path = "/"] = route.split(" ");
  const headers: Record<string, string> = {};
  if (who) {
    headers["Authorization"] = `Bearer ${who.authToken}`;
    if (who.sessionId) headers["X-Session-Id"] = who.sessionId;
  }
  const init: RequestInit = { method, headers, signal: AbortSignal.timeout(requestTime), cache: "no-store" };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let answer: Response;
  try {
    answer = await fetch(path, init);
  } catch {
    throw new Refusal(0, "unreachable");
  }
  const reply: unknown = await answer.json().catch(() => null);
  if (!answer.ok) {
    const said = typeof reply === "object" && reply !== null && "error" in reply ? String(reply.error) : answer.statusText;
    throw new Refusal(answer.status, said, Number(answer.headers.get("Retry-After")) || 0);
  }
  return reply as Routes[R]["reply"];
}
