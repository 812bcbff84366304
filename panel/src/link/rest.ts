import type { Routes } from "../wire.gen";
import { Refusal } from "./link";
import type { Credentials } from "./session";

/** How long a request may take, ms. */
const requestTime = 10_000;

/** Where requests go: base is the address of another node, or empty: to where the page is from. */
export const at = { base: "" };

type Who = Pick<Credentials, "sessionId" | "authToken"> | null;

/** One request to the service. Rejects with a Refusal that says what is wrong; signal ends it early. */
export async function send(route: string, body: unknown, who: Who, signal = AbortSignal.timeout(requestTime)): Promise<Response> {
  const [method, path] = route.split(" ") as [string, string];
  const headers: Record<string, string> = {};
  if (who) {
    headers["Authorization"] = `Bearer ${who.authToken}`;
    if (who.sessionId) headers["X-Session-Id"] = who.sessionId;
  }
  const init: RequestInit = { method, headers, signal, cache: "no-store" };
  if (body !== undefined) {
    headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let answer: Response;
  try {
    answer = await fetch((at.base || ".") + path, init);
  } catch {
    throw new Refusal(0, "unreachable");
  }
  if (answer.ok) return answer;
  const reply = await replyOf(answer);
  const said = typeof reply === "object" && reply !== null && "error" in reply ? String(reply.error) : answer.statusText;
  throw new Refusal(answer.status, said, Number(answer.headers.get("Retry-After")) || 0);
}

export const replyOf = (answer: Response): Promise<unknown> => answer.json().catch(() => null);

/** One request, and its reply. */
export const ask = async <R extends keyof Routes>(route: R, body: Routes[R]["body"], who: Who): Promise<Routes[R]["reply"]> =>
  (await replyOf(await send(route, body, who))) as Routes[R]["reply"];
