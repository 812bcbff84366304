// The panel on a simulated radio, without its view.

import type { Component } from "svelte";
import { Simulation } from "../../link/simulation";
import type { Answer, Hashes } from "../../link/wasm";
import { Panel } from "../../panel";
import type { Deed, Scenario } from "../../simulation/api";
import { Simulator } from "../../simulation/control";
import { deskOf } from "../../simulation/desk";
import type { Core } from "../../simulation/radio";
import { emptyRadio } from "../../state/radio";
import type { Host } from "./host";
import { Silence } from "./silence";
import { storage } from "./storage";
import { began, type Time } from "./time";

/** ms that the panel may take until it is on the air. */
const openTime = 2_000;

/** The panel, and the radio that it is on. */
export class Practice {
  readonly panel: Panel;
  readonly control: Simulator;
  readonly #link: Simulation;

  private constructor(
    host: Host,
    private readonly time: Time,
  ) {
    this.#link = new Simulation(() => undefined);
    // Nothing draws it: the theme is the only view.
    this.panel = new Panel(storage(), (p) => new Silence(p), async () => ({ Console: undefined as unknown as Component, link: this.#link }));
    this.control = new Simulator(coreOf(host), this.#link, (desk) =>
      this.panel.store.change((s) => ({ ...s, radio: emptyRadio, desk: { ...s.desk, ...deskOf(s.desk, desk, (c) => this.control.channel(c)) } })),
    );
  }

  /** On the air, with the units of a scenario. */
  static async open(host: Host, time: Time, scenario: Scenario): Promise<Practice> {
    const p = new Practice(host, time);
    await p.panel.open();
    await p.panel.enter({ sessionId: "sandbox", authToken: "", callsign: "DISPATCH", since: began });
    const begun = p.control.choose(scenario);
    await time.pass(openTime);
    await begun;
    return p;
  }

  /** Something happens on the radio. Rejects with what the radio said. */
  async do(deed: Deed, unit?: number): Promise<void> {
    const done = this.control.deed(deed, unit);
    await this.time.settle();
    await done;
  }

  /** Nothing of it happens any more. */
  async close(): Promise<void> {
    await this.time.settle();
    this.time.clear();
  }
}

function coreOf(host: Host): Core {
  const ask = (name: string, value: unknown): unknown => JSON.parse(host.core(name, JSON.stringify(value)));
  return {
    apply: async (q) => ask("apply", q) as Answer,
    call: async (name, json = "") => host.core(name, json),
    tick: async (now) => ask("tick", now) as Answer,
    hash: async () => JSON.parse(host.core("hash", "")) as Hashes,
    view: async (kind, at = 0, user = 0) => {
      const reply = ask("view", { kind, at, user }) as { view: unknown; error?: Answer["error"] };
      if (reply.error) throw new Error(reply.error.message);
      return reply.view;
    },
    close: () => undefined,
  };
}
