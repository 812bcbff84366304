// A game server with its players, in one process, without the game.
import { HandClock, MachineClock } from "./clock.mjs";
import { Console } from "./console.mjs";
import { GameServer } from "./server.mjs";
import { openPipe } from "./vm-pipe.mjs";
import { openWasmoon } from "./vm-wasmoon.mjs";

export const tickEvery = 20; // milliseconds, the shortest tick of a server

/** VMs by name: wasmoon comes from npm, lua5.4 is Debian's. */
export const vms = {
  wasmoon: openWasmoon,
  "lua5.4": openPipe,
};

export class Game {
  #timer = null;

  /** vm names the VM; clock "hand" stands still until advance, "machine" runs. */
  constructor({ vm = process.env.GAME_VM ?? "wasmoon", clock = "hand", echo = Boolean(process.env.GAME_ECHO) } = {}) {
    this.clock = clock === "hand" ? new HandClock() : new MachineClock();
    this.console = new Console("server", echo);
    this.clientConsole = new Console("client", echo);
    // One VM for each truth of the field, so that a script must live with both.
    const truth = vm === "wasmoon" ? 1 : true;
    this.server = new GameServer({ open: vms[vm], clock: this.clock, console: this.console, clientConsole: this.clientConsole, truth });
  }

  tick() {
    this.server.tick();
    for (const { client } of [...this.server.players.values()]) client?.tick();
  }

  /** advance moves a hand clock on, tick by tick. */
  advance(ms) {
    for (let left = ms; left > 0; left -= tickEvery) {
      this.clock.advance(tickEvery);
      this.tick();
    }
  }

  /** run ticks by the machine's clock until close. */
  run() {
    let last = performance.now();
    const next = () => {
      this.tick();
      const now = performance.now();
      last = Math.max(last + tickEvery, now); // a late tick is not made up for
      this.#timer = setTimeout(next, last - now || tickEvery);
    };
    this.#timer = setTimeout(next, tickEvery);
  }

  /** pause is a server that hangs, until run. */
  pause() {
    clearTimeout(this.#timer);
  }

  get errors() {
    return [...this.console.errors, ...this.clientConsole.errors];
  }

  close() {
    clearTimeout(this.#timer);
    this.server.close();
  }
}
