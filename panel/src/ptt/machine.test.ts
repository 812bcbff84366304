import { describe, expect, it } from "vitest";
import { answerTime, doubleTap, idle, step, type PttEffect, type PttInput, type PttOptions } from "./machine";
import type { ForcedRelease, Ptt, PttTarget } from "../state/ptt";

const patrol: PttTarget = { kind: "channel", frequency: "154.755" };
const fire: PttTarget = { kind: "channel", frequency: "154.28" };
const options: PttOptions = { releaseDelay: 350, latch: false, override: true };

/** A dispatcher with a push-to-talk; it notes the effects. */
class Desk {
  ptt: Ptt = idle;
  done: string[] = [];
  now = 1000;

  constructor(readonly options: PttOptions = { releaseDelay: 350, latch: false, override: true }) {}

  take(input: PttInput): this {
    const s = step(this.ptt, input, this.options);
    this.ptt = s.ptt;
    this.done.push(...s.effects.map(told));
    return this;
  }
  press(target: PttTarget = patrol, ...frequencies: string[]): this {
    const f = frequencies.length > 0 ? frequencies : target.kind === "channel" ? [target.frequency] : [];
    return this.take({ type: "press", source: "key", target, frequencies: f, now: this.now });
  }
  release(): this {
    return this.take({ type: "release", source: "key", now: this.now });
  }
  granted(frequency = "154.755"): this {
    return this.take({ type: "granted", frequency, now: this.now });
  }
  denied(frequency = "154.755", holder: number | null = -9): this {
    return this.take({ type: "denied", frequency, reason: "busy", holder, now: this.now });
  }
  after(ms: number): this {
    this.now += ms;
    return this.take({ type: "time", now: this.now });
  }
  did(): string[] {
    return this.done.splice(0);
  }
}

function told(e: PttEffect): string {
  switch (e.type) {
    case "keyUp":
      return `up ${e.frequency}${e.override ? " override" : ""}`;
    case "keyDown":
      return `down ${e.frequency}`;
    case "microphone":
      return `mic ${e.frequencies.join("+") || "shut"}`;
    default:
      return e.type;
  }
}

describe("a call", () => {
  it("asks, is permitted, talks, lets go, and keeps the tail", () => {
    const d = new Desk().press();
    expect(d.ptt.state).toBe("REQUESTED");
    expect(d.did()).toEqual(["up 154.755", "mic 154.755"]);
    expect(d.granted().ptt.state).toBe("TX");
    expect(d.did()).toEqual(["permit"]);
    expect(d.release().ptt.state).toBe("TAIL");
    expect(d.did()).toEqual([]);
    expect(d.after(349).ptt.state).toBe("TAIL");
    expect(d.after(1).ptt.state).toBe("IDLE");
    expect(d.did()).toEqual(["mic shut", "down 154.755"]);
  });

  it("ends at once where there is no release delay", () => {
    const d = new Desk({ ...options, releaseDelay: 0 }).press().granted().release();
    expect(d.ptt.state).toBe("IDLE");
    expect(d.did().slice(-2)).toEqual(["mic shut", "down 154.755"]);
  });

  it("goes on when the key is pressed again before the tail is over", () => {
    const d = new Desk().press().granted().release();
    d.did();
    d.now += 200;
    expect(d.press().ptt.state).toBe("TX");
    expect(d.after(1000).ptt.state).toBe("TX");
    expect(d.did()).toEqual([]);
  });

  it("gives a channel back before it takes another in the tail", () => {
    const d = new Desk().press().granted().release();
    d.did();
    d.press(fire);
    expect(d.did()).toEqual(["mic shut", "down 154.755", "up 154.28", "mic 154.28"]);
    expect(d.ptt.asked).toEqual(["154.28"]);
  });

  it("does nothing without a channel, or while another push-to-talk is active", () => {
    expect(new Desk().press({ kind: "global" }).ptt).toBe(idle);
    const d = new Desk().press().granted();
    const before = d.ptt;
    d.take({ type: "press", source: "mouse", target: fire, frequencies: ["154.28"], now: d.now });
    expect(d.ptt).toBe(before);
    d.take({ type: "release", source: "mouse", now: d.now });
    expect(d.ptt).toBe(before);
  });

  it("that is let go before the answer keeps its tail, without a permit tone", () => {
    const d = new Desk().press().release();
    expect(d.ptt.state).toBe("TAIL");
    d.granted();
    expect(d.did()).toEqual(["up 154.755", "mic 154.755"]);
    d.after(350);
    expect(d.did()).toEqual(["mic shut", "down 154.755"]);
  });
});

describe("a busy channel", () => {
  it("denies, bonks, names the holder, and stays denied until the key is let go", () => {
    const d = new Desk().press().denied();
    expect(d.ptt.state).toBe("DENIED");
    expect(d.did().slice(-2)).toEqual(["mic shut", "busy"]);
    expect(d.ptt.denials).toEqual([{ frequency: "154.755", reason: "busy", holder: -9 }]);
    expect(d.press().ptt.state).toBe("DENIED");
    expect(d.did()).toEqual([]);
    expect(d.release().ptt.state).toBe("IDLE");
    expect(d.ptt.denials).toHaveLength(1);
  });

  it("is broken into by a double tap, where that is allowed", () => {
    const d = new Desk().press().denied().release();
    d.did();
    d.now += doubleTap;
    d.press();
    expect(d.did()).toEqual(["up 154.755 override", "mic 154.755"]);
    const slow = new Desk().press().denied().release();
    slow.did();
    slow.now += doubleTap + 1;
    slow.press();
    expect(slow.did()[0]).toBe("up 154.755");
    const not = new Desk({ ...options, override: false }).press().denied().release();
    not.did();
    not.press();
    expect(not.did()[0]).toBe("up 154.755");
    const elsewhere = new Desk().press().denied().release();
    elsewhere.did();
    elsewhere.press(fire);
    expect(elsewhere.did()[0]).toBe("up 154.28");
  });

  it("is broken into by a double tap that is quicker than the answer", () => {
    const d = new Desk().press().release();
    d.now += 150;
    d.did();
    d.press();
    expect(d.did()).toEqual(["up 154.755 override", "mic 154.755"]);
    expect(d.ptt.state).toBe("REQUESTED");
  });

  it("in the tail ends without waiting for a release", () => {
    const d = new Desk().press().release().denied();
    expect(d.ptt.state).toBe("IDLE");
    expect(d.did().slice(-2)).toEqual(["mic shut", "busy"]);
  });

  it("gives up when nobody answers, and gives back what may still be granted", () => {
    const d = new Desk().press();
    d.did();
    d.after(answerTime);
    expect(d.ptt.state).toBe("DENIED");
    expect(d.did()).toEqual(["mic shut", "down 154.755", "busy"]);
    expect(d.ptt.denials[0]?.reason).toBe("no answer");
  });
});

describe("several channels", () => {
  const group: PttTarget = { kind: "group", groupId: "all" };

  it("are keyed at once, permitted once, and the busy ones left out", () => {
    const d = new Desk().press(group, "154.755", "154.28", "460.25", "154.28");
    expect(d.did()).toEqual(["up 154.755", "up 154.28", "up 460.25", "mic 154.755+154.28+460.25"]);
    d.granted("154.755").denied("154.28").granted("460.25");
    expect(d.did()).toEqual(["permit", "mic 154.755+460.25"]);
    expect(d.ptt.state).toBe("TX");
    expect(d.ptt.deadline).toBeNull();
    d.release().after(350);
    expect(d.did()).toEqual(["mic shut", "down 154.755", "down 460.25"]);
  });

  it("are denied only when all of them are", () => {
    const d = new Desk().press(group, "154.755", "154.28").denied("154.755");
    expect(d.ptt.state).toBe("REQUESTED");
    expect(d.denied("154.28").ptt.state).toBe("DENIED");
    expect(d.did().filter((x) => x === "busy")).toHaveLength(1);
  });

  it("of which one never answers: the others go on", () => {
    const d = new Desk().press(group, "154.755", "154.28").granted("154.755");
    d.did();
    d.after(answerTime);
    expect(d.did()).toEqual(["down 154.28", "mic 154.755"]);
    expect(d.ptt.state).toBe("TX");
  });
});

describe("release always wins", () => {
  const reasons: ForcedRelease[] = ["blur", "hidden", "pagehide", "focus", "cancel", "device", "socket", "stop"];
  const states: Record<string, () => Desk> = {
    REQUESTED: () => new Desk().press(),
    TX: () => new Desk().press().granted(),
    TAIL: () => new Desk().press().granted().release(),
    DENIED: () => new Desk().press().denied(),
    latched: () => new Desk({ ...options, latch: true }).press().granted().release(),
  };
  for (const [state, desk] of Object.entries(states)) {
    it.each(reasons)(`${state}, by %s`, (reason) => {
      const d = desk();
      const open = d.ptt.state !== "DENIED";
      d.did();
      d.take({ type: "force", reason, now: d.now });
      expect(d.ptt.state).toBe("IDLE");
      expect(d.ptt.forced).toBe(reason);
      expect(d.ptt.deadline).toBeNull();
      expect(d.did()).toEqual(open ? ["mic shut", "down 154.755"] : []);
    });
  }

  it("and nothing is forced on a push-to-talk at rest", () => {
    expect(new Desk().take({ type: "force", reason: "blur", now: 0 }).ptt).toBe(idle);
  });

  it("the service may take the floor away; the held key does not take it again", () => {
    const d = new Desk().press().granted();
    d.did();
    d.take({ type: "taken", frequency: "154.755", now: d.now });
    expect(d.ptt).toMatchObject({ state: "DENIED", forced: "taken" });
    expect(d.did()).toEqual(["mic shut", "busy"]);
    expect(d.release().ptt.state).toBe("IDLE");
  });
});

describe("latch", () => {
  it("talks until the next press", () => {
    const d = new Desk({ ...options, latch: true }).press().granted().release();
    expect(d.ptt.state).toBe("TX");
    d.did();
    expect(d.press().ptt.state).toBe("TAIL");
    d.after(350);
    expect(d.did()).toEqual(["mic shut", "down 154.755"]);
  });
});

it("never leaves the microphone open, whatever comes", () => {
  // Every run of inputs leaves the effects balanced: IDLE and DENIED mean a shut
  // microphone and no floor that was not given back or refused.
  let seed = 7;
  const random = (n: number) => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) % n;
  let talked = 0;
  for (let run = 0; run < 300; run++) {
    const d = new Desk({ releaseDelay: random(2) * 350, latch: random(3) === 0, override: random(2) === 0 });
    let mic = "shut";
    const floors = new Set<string>();
    for (let i = 0; i < 40; i++) {
      const f = ["154.755", "154.28"][random(2)]!;
      switch (random(8)) {
        case 0:
        case 1:
          d.press(random(2) ? patrol : fire);
          break;
        case 2:
          d.release();
          break;
        case 3:
          if (floors.has(f)) d.granted(f);
          break;
        case 4:
          if (d.ptt.asked.includes(f)) {
            floors.delete(f);
            d.denied(f);
          }
          break;
        case 5:
          if (d.ptt.granted.includes(f)) {
            floors.delete(f);
            d.take({ type: "taken", frequency: f, now: d.now });
          }
          break;
        case 6:
          d.after(random(4000));
          break;
        case 7:
          d.take({ type: "force", reason: "blur", now: d.now });
      }
      for (const e of d.did()) {
        const [what, which] = e.split(" ") as [string, string];
        if (what === "mic") mic = which;
        if (what === "up") floors.add(which);
        if (what === "down") floors.delete(which);
      }
      const talking = d.ptt.state === "REQUESTED" || d.ptt.state === "TX" || d.ptt.state === "TAIL";
      expect(mic === "shut").toBe(!talking);
      expect([...floors].sort()).toEqual([...d.ptt.asked, ...d.ptt.granted].sort());
      if (talking) talked++;
    }
  }
  expect(talked).toBeGreaterThan(1000);
});

describe("a key that a theme has left down", () => {
  const theme = { type: "press", source: "theme", target: patrol, frequencies: ["154.755"], now: 1000 } as const;
  const onAir = (): Desk => new Desk().take(theme).granted();

  it("is taken over by the dispatcher's own key, whose release ends it", () => {
    const desk = onAir().press();
    expect([desk.ptt.state, desk.ptt.source]).toEqual(["TX", "key"]);
    expect(desk.take({ type: "release", source: "theme", now: desk.now }).ptt.state).toBe("TX");
    expect(desk.release().after(350).ptt.state).toBe("IDLE");
    expect(desk.done.filter((d) => d.startsWith("up "))).toEqual(["up 154.755"]);
  });

  it("gives way to another channel that the dispatcher keys", () => {
    const desk = onAir().press(fire);
    expect([desk.ptt.state, desk.ptt.source, desk.ptt.asked]).toEqual(["REQUESTED", "key", ["154.28"]]);
    expect(desk.ptt.granted).toEqual([]);
  });

  it("is no obstacle after a denial", () => {
    const desk = new Desk().take(theme).denied();
    expect(desk.ptt.state).toBe("DENIED");
    expect([desk.press().ptt.state, desk.ptt.source]).toEqual(["REQUESTED", "key"]);
  });

  it("ends at once when it is latched", () => {
    const desk = new Desk({ ...options, latch: true }).take(theme).granted();
    expect(desk.ptt.latched).toBe(true);
    expect(desk.press().ptt.state).toBe("TAIL");
  });

  it("does not take over what the dispatcher has keyed", () => {
    const desk = new Desk().press().granted().take(theme);
    expect([desk.ptt.state, desk.ptt.source]).toEqual(["TX", "key"]);
  });
});
