import type { AdminFailure, AdminMistake, AdminRoutes } from "../wire.gen";

/** Refused is the service's refusal; field is the path of the value at fault. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly field: string,
    /** Those of a configuration file that was to be read again. */
    readonly mistakes: readonly AdminMistake[] = [],
  ) {
    super(message);
  }
}

let csrf = "";

/** useToken sets the token that every change must carry. */
export function useToken(token: string): void {
  csrf = token;
}

/** Cancelled: the user has stopped an upload. */
export class Cancelled extends Error {}

/** call sends one request of the administration; query: of a GET, encoded. It throws Refused. */
export async function call<R extends keyof AdminRoutes>(route: R, body?: AdminRoutes[R]["body"], query = ""): Promise<AdminRoutes[R]["reply"]> {
  const [method, path] = route.split(" ") as [string, string];
  const init: RequestInit = { method, headers: { "X-CSRF-Token": csrf, "Content-Type": "application/json" } };
  if (method !== "GET") init.body = JSON.stringify(body ?? {});
  let answer: Response;
  try {
    answer = await fetch(`.${query === "" ? path : `${path}?${query}`}`, init);
  } catch {
    throw unreachable();
  }
  return taken(answer.status, await answer.text().catch(() => "")) as AdminRoutes[R]["reply"];
}

/** Uploads are the routes whose body is a file. */
type Uploads = { [R in keyof AdminRoutes]: AdminRoutes[R]["body"] extends Blob ? R : never }[keyof AdminRoutes];

/** upload sends a file, and tells which share of it has been sent. It throws Refused, or Cancelled. */
export function upload<R extends Uploads>(route: R, body: Blob, query: string, sent: (share: number) => void, stop: AbortSignal): Promise<AdminRoutes[R]["reply"]> {
  const [method, path] = route.split(" ") as [string, string];
  return new Promise((give, fail) => {
    const request = new XMLHttpRequest(); // fetch does not tell how far an upload is
    request.open(method, `.${query === "" ? path : `${path}?${query}`}`);
    request.setRequestHeader("X-CSRF-Token", csrf);
    request.setRequestHeader("Content-Type", "application/zip");
    request.upload.onprogress = (e) => sent(e.total === 0 ? 1 : e.loaded / e.total);
    request.onload = () => {
      try {
        give(taken(request.status, request.responseText) as AdminRoutes[R]["reply"]);
      } catch (e) {
        fail(e instanceof Error ? e : new Error(String(e)));
      }
    };
    request.onerror = () => fail(unreachable());
    request.onabort = () => fail(new Cancelled());
    stop.addEventListener("abort", () => request.abort());
    if (stop.aborted) fail(new Cancelled());
    else request.send(body);
  });
}

const unreachable = (): Refused => new Refused(0, "Cannot reach the server", "");

/** taken reads an answer. */
function taken(status: number, text: string): unknown {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    said = { error: `The server answered ${status}` };
    status = Math.max(status, 400);
  }
  if (status < 400) return said;
  const failure = said as AdminFailure;
  throw new Refused(status, failure.error, failure.field ?? "", failure.mistakes ?? []);
}
