import type { AdminFailure, AdminRoutes } from "../wire.gen";

/** Refused is the service's refusal; field is the path of the value at fault. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly field: string,
  ) {
    super(message);
  }
}

let csrf = "";

/** useToken sets the token that every change must carry. */
export function useToken(token: string): void {
  csrf = token;
}

/** call sends one request of the administration; query: of a GET, encoded. It throws Refused. */
export async function call<R extends keyof AdminRoutes>(route: R, body?: AdminRoutes[R]["body"], query = ""): Promise<AdminRoutes[R]["reply"]> {
  const [method, path] = route.split(" ") as [string, string];
  const init: RequestInit = { method, headers: { "X-CSRF-Token": csrf, "Content-Type": "application/json" } };
  if (method !== "GET") init.body = JSON.stringify(body ?? {});
  let answer: Response;
  try {
    answer = await fetch(query === "" ? path : `${path}?${query}`, init);
  } catch {
    throw new Refused(0, "Cannot reach the server", "");
  }
  const said = (await answer.json().catch(() => ({ error: `The server answered ${answer.status}` }))) as unknown;
  if (!answer.ok) {
    const failure = said as AdminFailure;
    throw new Refused(answer.status, failure.error, failure.field ?? "");
  }
  return said as AdminRoutes[R]["reply"];
}
