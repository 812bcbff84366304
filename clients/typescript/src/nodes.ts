import type { Socket } from "socket.io-client";
import type { Nodes } from "./wire.gen.js";

/** How long the node whose connection broke has to take the client back before the others are tried, and how long each of those has, ms. */
const homeTime = 1_000;
const otherTime = 2_000;
/** The longest wait before the first of the others is tried, ms: the clients of a node that is gone do not fall upon the next one all at once. */
const spread = 500;
/** Waits before further rounds, ms. */
const pauses = [500, 1_000, 2_000, 5_000];
/** What says that a request has reached nobody, so that it can be made elsewhere without being made twice. */
const unreached: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH", "UND_ERR_CONNECT_TIMEOUT"]);

/** What is needed of Socket.IO's manager, which has no method to give it another address. */
interface Inner {
  uri: string;
  opts: { path?: string };
  timeout(ms: number): void;
  reconnectionDelay(ms: number): void;
  reconnectionDelayMax(ms: number): void;
  randomizationFactor(share: number): void;
  on(name: "close" | "open" | "reconnect_attempt", f: () => void): void;
}

/** The addresses under which a radio can be reached that several nodes share, as its links were told. */
export class Addresses {
  readonly home: string;
  here: string;
  others: string[] = [];

  constructor(home: string) {
    this.home = this.here = home;
  }

  /** Takes a list of the service. Credentials are never sent to a node without TLS if the service's own address has it. */
  list(n: Nodes): void {
    const plain = this.home.startsWith("http:");
    this.others = n.nodes.map((o) => o.url.replace(/\/+$/, "")).filter((u) => u.startsWith("https://") || (plain && u.startsWith("http://")));
  }

  /** Those where it is not now. */
  elsewhere(): string[] {
    return [...new Set([...this.others, this.home])].filter((o) => o !== this.here);
  }

  moved(to: string): void {
    if (to === this.here) return;
    this.others = [...this.others.filter((o) => o !== to), this.here];
    this.here = to;
  }

  /** Where to send a request after it has failed with e; nothing: it may have arrived. */
  after(e: unknown): string[] {
    const cause = e instanceof Error ? (e.cause as { code?: unknown } | undefined) : undefined;
    return typeof cause?.code === "string" && unreached.has(cause.code) ? this.elsewhere() : [];
  }
}

/** Lets a link's socket go to another node when its own is gone. The function takes each list that the service sends. */
export function follow(socket: Socket, at: Addresses): (n: Nodes) => void {
  const inner = socket.io as unknown as Inner;
  let [here, going] = [at.here, at.here];
  let [round, rounds, leaving, told] = [[] as string[], 0, false, false];

  const wait = (ms: number): void => {
    inner.reconnectionDelay(ms);
    inner.reconnectionDelayMax(ms);
  };
  const pause = (): number => pauses[Math.min(rounds, pauses.length - 1)]! * (0.5 + Math.random());
  const others = (): string[] => {
    const all = [...new Set([...at.others, at.here, at.home])].filter((o) => o !== here);
    return all.map((o) => [Math.random(), o] as const).sort(([a], [b]) => a - b).map(([, o]) => o);
  };

  inner.on("close", () => {
    if (!told) return;
    [rounds, round, going] = [0, others(), here];
    if (round.length === 0) wait(pause());
    else wait(leaving ? Math.random() * spread : 0);
    if (!leaving || round.length === 0) round.unshift(here);
  });
  inner.on("reconnect_attempt", () => {
    if (!told) return;
    if (round.length === 0) {
      rounds++;
      round = [here, ...others()];
    }
    going = round.shift()!;
    const to = new URL(going);
    inner.uri = to.origin;
    inner.opts.path = `${to.pathname.replace(/\/$/, "")}/socket.io/`;
    inner.timeout(going === here ? homeTime : otherTime);
    if (round.length === 0) wait(pause());
    else wait(going === here ? Math.random() * spread : 0);
  });
  inner.on("open", () => {
    here = going;
    leaving = false;
    at.moved(here);
  });
  return (n) => {
    if (!told) inner.randomizationFactor(0);
    told = true;
    leaving = n.leaving === true;
    at.list(n);
  };
}
