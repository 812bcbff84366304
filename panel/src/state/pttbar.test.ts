import { describe, expect, it } from "vitest";
import { cardOf } from "./card";
import { chipsOf, pttFace, reach, standingDenial } from "./pttbar";
import type { Ptt } from "./ptt";
import { emptyRadio } from "./radio";
import { initial, type State } from "./state";

const channel = (frequency: string) => ({ frequency, name: frequency, type: "conventional", canTransmit: true }) as never;
const all = ["154.755", "154.815", "460.25", "460.4"];

function desk(more: Partial<State> = {}): State {
  return {
    ...initial,
    session: { ...initial.session, phase: "live", connected: true, health: "connected", me: -1 },
    radio: { ...emptyRadio, channels: Object.fromEntries(all.map((f) => [f, channel(f)])) },
    desk: { ...initial.desk, joined: all[0]!, selected: all.slice(1) },
    sound: { ...initial.sound, voice: { ...initial.sound.voice, micReady: true } },
    ...more,
  };
}

const keyed = (more: Partial<Ptt>): Ptt => ({ ...initial.ptt, state: "TX", target: { kind: "global" }, ...more });

describe("the push-to-talk bar", () => {
  it("shows one result per target: three of four are busy", () => {
    const s = desk({
      ptt: keyed({
        granted: ["154.755"],
        denials: all.slice(1).map((frequency, i) => ({ frequency, reason: "busy", holder: i + 1 })),
      }),
    });
    const chips = chipsOf(s);
    expect(chips.map((c) => c.state)).toEqual(["tx", "busy", "busy", "busy"]);
    expect(chips.map((c) => c.holder)).toEqual([null, 1, 2, 3]);
    expect(reach(chips)).toEqual({ on: 1, of: 4 });
  });

  it("shows the words of a refusal that is not a busy channel", () => {
    const s = desk({ ptt: keyed({ state: "DENIED", denials: [{ frequency: "460.25", reason: "No permission", holder: null }] }) });
    expect(chipsOf(s)[2]).toMatchObject({ state: "denied", reason: "No permission" });
  });

  it("tells who held the channel until the key is released, and then only while that unit talks", () => {
    const denials = [{ frequency: "460.25", reason: "busy", holder: 7 }];
    const live = { "460.25": { frequency: "460.25", control: null, speakers: [7], listeners: [], talkers: [{ id: 7, since: 1 }] } };
    expect(standingDenial(desk({ ptt: keyed({ state: "DENIED", denials }) }))).toBe(denials[0]);
    const s = desk({ ptt: { ...initial.ptt, denials } });
    expect(standingDenial(s)).toBeUndefined();
    expect(standingDenial({ ...s, radio: { ...s.radio, live } })).toBe(denials[0]);
    const refused = [{ frequency: "460.25", reason: "No access", holder: null }];
    expect(standingDenial({ ...s, ptt: { ...initial.ptt, denials: refused } })).toBe(refused[0]);
  });

  it("keeps the order of the chips whatever is granted first", () => {
    const order = (ptt: Ptt) => chipsOf(desk({ ptt })).map((c) => c.frequency);
    expect(order(keyed({ state: "REQUESTED", asked: all }))).toEqual(all);
    expect(order(keyed({ asked: ["154.755"], granted: ["460.4", "460.25", "154.815"] }))).toEqual(all);
  });

  it("has a chip for every channel of a patch, also while the patch is keyed", () => {
    const patches = [{ id: "p1", label: "Patch 1", frequencies: ["154.815", "460.4"], createdBy: 1, createdAt: 1 }];
    const s = desk({ desk: { ...initial.desk, joined: "154.815" } });
    s.radio = { ...s.radio, patches };
    expect(chipsOf(s).map((c) => [c.frequency, c.patch])).toEqual([["154.815", null], ["460.4", "Patch 1"]]);
    const talk = { ...s, ptt: keyed({ target: { kind: "patch", patchId: "p1" }, granted: ["154.815"] }) };
    expect(chipsOf(talk).map((c) => c.state)).toEqual(["tx", "tx"]);
  });

  it("has one chip for a channel that two targets of a patch reach", () => {
    const patches = [{ id: "p1", label: "Patch 1", frequencies: all, createdBy: 1, createdAt: 1 }];
    const s = desk({ desk: { ...initial.desk, joined: "154.755", selected: ["460.25"] } });
    s.radio = { ...s.radio, patches };
    expect(chipsOf(s).map((c) => c.frequency)).toEqual(["154.755", "154.815", "460.4", "460.25"]);
  });

  it("shows who talks on a target before it is keyed", () => {
    const s = desk();
    s.radio = { ...s.radio, live: { "460.25": { frequency: "460.25", control: null, speakers: [9], listeners: [], talkers: [{ id: 9, since: 1 }] } } };
    expect(chipsOf(s).map((c) => c.state)).toEqual(["ready", "ready", "heard", "ready"]);
  });

  it("shows who took a channel, while others are still on air", () => {
    const s = desk({ ptt: keyed({ granted: ["154.755"], lost: ["460.4"] }) });
    s.radio = { ...s.radio, live: { "460.4": { frequency: "460.4", control: null, speakers: [7], listeners: [], talkers: [{ id: 7, since: 1 }] } } };
    expect(chipsOf(s)[3]).toMatchObject({ state: "overridden", holder: 7 });
  });

  it("says what the card says of a channel that somebody has overridden, although it is still granted", () => {
    const s = desk({ ptt: keyed({ granted: all }) });
    const talkers = [{ id: -1, since: 50 }, { id: 7, since: 60 }];
    s.radio = { ...s.radio, live: { "460.4": { frequency: "460.4", control: null, speakers: [], listeners: [], talkers } } };
    const chips = chipsOf(s);
    expect(chips[3]).toMatchObject({ state: "overridden", holder: 7 });
    expect(cardOf(s, "460.4")).toMatchObject({ state: "overridden", talker: 7 });
    expect(reach(chips)).toEqual({ on: 3, of: 4 });
    // Who began before this console is the one that it has overridden.
    talkers[1]!.since = 40;
    expect(chipsOf(s)[3]).toMatchObject({ state: "tx" });
  });

  it("says of every channel of a patch that it is overridden", () => {
    const patches = [{ id: "p1", label: "Patch 1", frequencies: ["154.815", "460.4"], createdBy: 1, createdAt: 1 }];
    const s = desk({ ptt: keyed({ target: { kind: "patch", patchId: "p1" }, granted: ["154.815"] }) });
    const talkers = [{ id: -1, since: 50 }, { id: 7, since: 60 }];
    s.radio = { ...s.radio, patches, live: { "154.815": { frequency: "154.815", control: null, speakers: [], listeners: [], talkers } } };
    expect(chipsOf(s).map((c) => [c.state, c.holder])).toEqual([["overridden", 7], ["overridden", 7]]);
  });

  it("never promises what it cannot do", () => {
    expect(pttFace(desk())).toBe("IDLE");
    const cut = desk({ ptt: keyed({ granted: all }) });
    cut.session = { ...cut.session, connected: false, health: "disconnected" };
    expect(pttFace(cut)).toBe("NOLINK");
    expect(chipsOf(cut).every((c) => c.state === "link")).toBe(true);
    const silent = desk();
    silent.sound = { ...silent.sound, voice: { ...silent.sound.voice, micReady: false, noMicrophone: "missing" } };
    expect(pttFace(silent)).toBe("NOMIC");
    expect(pttFace(desk({ ptt: keyed({ latched: true, granted: all }) }))).toBe("LATCHED");
  });
});
