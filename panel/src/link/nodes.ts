// Where a console goes when its node is gone: loaded when the service names other nodes.

import type { Socket } from "socket.io-client";
import type { Nodes } from "../wire.gen";
import { at } from "./rest";

/** How long the node whose connection broke has to take the client back before the others are tried, ms, and how long each of those has. One that was killed refuses at once; one that is cut off from the network says nothing. */
const homeTime = 1_000;
const otherTime = 2_000;
/** The longest wait before the first of the others is tried, ms: the clients of a node that is gone do not fall upon the next one all at once. */
const spread = 500;
/** Waits before further rounds, ms. */
const pauses = [500, 1_000, 2_000, 3_000];

/** What this needs of Socket.IO's manager, which has no method to give it another address. */
interface Inner {
  uri?: string;
  opts: { path?: string };
  timeout(ms: number): void;
  reconnectionDelay(ms: number): void;
  reconnectionDelayMax(ms: number): void;
  randomizationFactor(share: number): void;
  on(name: "close" | "open" | "reconnect_attempt", f: () => void): void;
}

/** Follows the nodes from now on; first is the list that the service has sent. */
export function follow(io: Socket, first: Nodes, random = Math.random): void {
  const inner = io.io as unknown as Inner;
  const usual = "/socket.io";
  // Where a host has several radios, the address of one has a path.
  const home = (inner.uri ?? location.origin) + (inner.opts.path ?? usual).replace(/\/socket\.io\/?$/, "");
  let here = home;
  let going = home;
  let others: string[] = [];
  let leaving = false;
  let round: string[] = [];
  let rounds = 0;

  /** wait sets the pause before the next attempt. */
  const wait = (ms: number): void => {
    inner.reconnectionDelay(ms);
    inner.reconnectionDelayMax(ms);
  };
  const shuffled = (): string[] => {
    const all = [...new Set([...others, home])].filter((o) => o !== here);
    for (let i = all.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [all[i], all[j]] = [all[j]!, all[i]!];
    }
    return all;
  };
  /** ahead sets the pause before whatever is next in the round. */
  const ahead = (): void => {
    if (round.length === 0) wait(pauses[Math.min(rounds, pauses.length - 1)]! * (0.5 + random()));
    else wait(going === here && round[0] !== here ? random() * spread : 0);
  };

  inner.randomizationFactor(0);
  inner.on("close", () => {
    rounds = 0;
    round = shuffled();
    if (round.length === 0) wait(pauses[0]! * (0.5 + random())); // there is no other node
    else wait(leaving ? random() * spread : 0);
    if (!leaving || round.length === 0) round.unshift(here);
    going = here;
  });
  inner.on("reconnect_attempt", () => {
    if (round.length === 0) {
      rounds++;
      round = [here, ...shuffled()];
    }
    going = round.shift()!;
    inner.uri = new URL(going).origin;
    inner.opts.path = new URL(going).pathname.replace(/\/$/, "") + usual;
    inner.timeout(going === here ? homeTime : otherTime);
    ahead();
  });
  inner.on("open", () => {
    if (going !== here) others = [...others, here];
    here = going;
    leaving = false;
    at.base = here === home ? "" : here;
  });

  const list = (n: Nodes): void => {
    leaving = !!n.leaving;
    // The token is never sent to a node without TLS if the page came with it.
    others = n.nodes.map((o) => o.url.replace(/\/$/, "")).filter((o) => /^https:/.test(o) || (/^http:/.test(o) && /^http:/.test(home)));
  };
  list(first);
  io.on("nodes", list);
}
