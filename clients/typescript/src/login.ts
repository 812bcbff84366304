import { SquelchError } from "./error.js";
import type { AuthReply } from "./wire.gen.js";

/** How a program gets in: with an API key, or as a dispatcher with a session. */
export type Login =
  /** An API key, made at /admin: "sqk_…". It needs no session and does not expire. */
  | { key: string }
  /** The dispatch NAC id of the configuration, and the callsign to log in with. */
  | { nacId: string; callsign: string };

/** Sends a request without credentials, or with this bearer token. */
type Ask = (route: "POST /radio/dispatch/auth" | "POST /radio/dispatch/reauth", body: unknown, token?: string) => Promise<AuthReply>;

/** Credentials as the service wants to see them. */
export interface Credentials {
  token: string;
  session: string;
}

/** Holds a login's credentials. A session is made when it is needed first, and renewed when the service refuses it. */
export class Desk {
  readonly #login: Login;
  readonly #ask: Ask;
  #now: Credentials | null = null;
  #making: Promise<Credentials> | null = null;

  constructor(login: Login, ask: Ask) {
    this.#login = login;
    this.#ask = ask;
    if ("key" in login) this.#now = { token: login.key, session: "" };
  }

  /** Whether credentials can be renewed: those of a key cannot. */
  get renews(): boolean {
    return !("key" in this.#login);
  }

  credentials(): Promise<Credentials> {
    return this.#now ? Promise.resolve(this.#now) : this.renew(null);
  }

  /** New credentials in place of the refused ones. Callers that come at once share one login. */
  renew(refused: Credentials | null): Promise<Credentials> {
    if (this.#now && this.#now !== refused) return Promise.resolve(this.#now); // somebody was faster
    this.#making ??= this.#make().finally(() => (this.#making = null));
    return this.#making;
  }

  /** A re-issued session is the same dispatcher with the same id, so that is tried first. */
  async #make(): Promise<Credentials> {
    if ("key" in this.#login) throw new TypeError("an API key cannot be renewed");
    const { nacId, callsign } = this.#login;
    let reply: AuthReply | null = null;
    if (this.#now) {
      reply = await this.#ask("POST /radio/dispatch/reauth", { callsign }, this.#now.token).catch((e: unknown) => {
        if (e instanceof SquelchError && e.status === 401) return null; // the token has ended too
        throw e;
      });
    }
    reply ??= await this.#ask("POST /radio/dispatch/auth", { nacId, callsign });
    return (this.#now = { token: reply.authToken, session: reply.sessionId });
  }
}
