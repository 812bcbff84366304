import { describe, expect, test } from "vitest";
import { shownCards } from "../state/arrangement";
import type { Layout } from "../state/desk";
import { setFilter } from "./filter";
import { cancelLayout, deleteLayout, editLayout, finishLayout, layoutOf, moveCard, publishedLayouts, renameLayout, resetOrder, saveLayout, useLayout } from "./layout";
import { testPorts } from "./ports.testing";

const night: Layout = {
  name: "Night", order: ["851.0", "154.28"], scans: { "154.28": 1, "460.25": 0, "999.9": 2 }, targets: ["154.28", "460.3"],
  filter: "mine", zoom: 1.25, density: "dense", rail: { width: 400, split: 0.6 },
};

function desk(more = {}): ReturnType<typeof testPorts> {
  const p = testPorts();
  p.store.change((s) => ({ ...s, desk: { ...s.desk, ...more } }));
  return p;
}

describe("a layout", () => {
  test("sets the whole desk, and tells the radio what changed", () => {
    const p = desk({ layouts: [night], joined: "154.755", scans: { "460.25": 2, "155.34": 0 } });
    expect(useLayout(p, "Night")).toBe(true);
    const { desk: now } = p.store.now;
    expect([now.joined, now.selected]).toEqual(["154.28", ["460.3"]]);
    expect(now.scans).toEqual({ "154.28": 1, "460.25": 0 }); // 999.9 is no channel here
    expect([now.filter, now.zoom, now.settings.density, now.rail.width, now.layout]).toEqual(["mine", 1.25, "dense", 400, "Night"]);
    expect(p.sent).toEqual([
      ["setSpeakerChannel", "154.28"],
      ["addListeningChannel", "460.3"],
      ["removeListeningChannel", "155.34"],
    ]);
  });

  test("keeps an emergency's channel open", () => {
    const p = desk({ layouts: [night], scans: { "851.0": 0 }, auto: { "851.0": { emergency: "e1", touched: false } } });
    useLayout(p, "Night");
    expect(p.sent).not.toContainEqual(["removeListeningChannel", "851.0"]);
    expect(p.store.now.desk.auto).toEqual({ "851.0": { emergency: "e1", touched: false } });
  });

  test("that nobody has changes nothing", () => {
    const p = desk({ layouts: [night] });
    const before = p.store.now;
    expect(useLayout(p, "Day")).toBe(false);
    expect(p.store.now).toBe(before);
  });

  test("is used as it was saved", () => {
    const p = desk({ joined: "154.755", scans: { "460.25": 1 }, order: ["460.25"], filter: "active", zoom: "fit" });
    expect(saveLayout(p, "Mine")).toBe(true);
    const saved = layoutOf(p.store.now.desk, "Mine");
    expect(p.store.now.desk.layouts).toEqual([saved]);
    useLayout(desk(), "Mine");
    p.store.change((s) => ({ ...s, desk: { ...s.desk, joined: null, scans: {}, order: [], filter: "all" } }));
    useLayout(p, "Mine");
    expect(layoutOf(p.store.now.desk, "Mine")).toEqual(saved);
  });

  test("of a name is saved once; there are twenty at most", () => {
    const p = desk();
    for (let i = 0; i < 20; i++) expect(saveLayout(p, `L ${i}`)).toBe(true);
    expect(saveLayout(p, "one more")).toBe(false);
    expect(saveLayout(p, "L 3")).toBe(true);
    expect(p.store.now.desk.layouts).toHaveLength(20);
  });

  test("is renamed and deleted; the desk stays as it is", () => {
    const p = desk({ layouts: [night], layout: "Night", scans: { "154.28": 1 } });
    saveLayout(p, "Other");
    expect(renameLayout(p, "Night", "Other")).toBe(false);
    expect(renameLayout(p, "Other", "Storm")).toBe(true);
    expect(p.store.now.desk.layout).toBe("Storm");
    deleteLayout(p, "Storm");
    expect(p.store.now.desk.layouts).toEqual([night]);
    expect([p.store.now.desk.layout, p.store.now.desk.scans]).toEqual(["", { "154.28": 1 }]);
  });

  test("is published by the configuration", () => {
    const p = desk();
    p.store.change((s) => ({ ...s, radio: { ...s.radio, config: { ...s.radio.config, layouts: [night] } as unknown as typeof s.radio.config } }));
    expect(publishedLayouts(p.store.now.radio)).toEqual([night]);
    expect(useLayout(p, "Night")).toBe(true);
  });
});

describe("editing", () => {
  const order = ["154.755", "460.25", "460.3", "154.28", "155.34", "851.0"];

  test("moves a card to the place of another, forward and back", () => {
    const p = desk();
    editLayout(p);
    moveCard(p, order, "154.755", 2);
    expect(p.store.now.screen.editing).toEqual(["460.25", "460.3", "154.755", "154.28", "155.34", "851.0"]);
    moveCard(p, p.store.now.screen.editing ?? [], "155.34", 0);
    expect(p.store.now.screen.editing).toEqual(["155.34", "460.25", "460.3", "154.755", "154.28", "851.0"]);
    finishLayout(p);
    expect(p.store.now.desk.order[0]).toBe("155.34");
    expect(p.store.now.screen.editing).toBeNull();
  });

  test("moves among the shown cards only", () => {
    const p = desk();
    editLayout(p);
    moveCard(p, ["154.755", "154.28", "851.0"], "851.0", 1);
    expect(p.store.now.screen.editing).toEqual(["154.755", "460.25", "460.3", "851.0", "154.28", "155.34"]);
    moveCard(p, ["154.755"], "154.755", 5); // nowhere to go
    expect(p.store.now.screen.editing?.[0]).toBe("154.755");
  });

  test("is dropped, or starts over", () => {
    const p = desk({ order: ["851.0"] });
    editLayout(p);
    moveCard(p, ["851.0", ...order.slice(0, 5)], "460.3", 0);
    cancelLayout(p);
    expect([p.store.now.screen.editing, p.store.now.desk.order]).toEqual([null, ["851.0"]]);
    editLayout(p);
    resetOrder(p);
    expect(p.store.now.screen.editing).toEqual(order);
  });

  test("is the only way to move a card", () => {
    const p = desk();
    moveCard(p, order, "851.0", 0);
    expect([p.store.now.screen.editing, p.store.now.desk.order]).toEqual([null, []]);
  });
});

describe("what is shown", () => {
  const all = (p: ReturnType<typeof testPorts>, before: Parameters<typeof shownCards>[1] = null): string[] => {
    const { arranged, brought } = shownCards(p.store.now, before);
    return [...arranged, ...brought];
  };

  test("Active shows everything", () => {
    const p = desk({ order: ["851.0"] });
    setFilter(p, "active");
    expect(all(p)).toEqual(["851.0", "154.755", "460.25", "460.3", "154.28", "155.34"]);
  });

  test("Mine: monitored and targets; within one arrangement nothing moves", () => {
    const p = desk({ joined: "460.3", scans: { "154.28": 0, "155.34": 1 }, filter: "mine" });
    const before = shownCards(p.store.now, null);
    expect(before.arranged).toEqual(["460.3", "154.28", "155.34"]);
    p.store.change((s) => ({ ...s, desk: { ...s.desk, joined: null, scans: { "155.34": 1, "154.755": 0 } } }));
    expect(all(p, before)).toEqual(["460.3", "154.28", "155.34", "154.755"]);
    expect(all(p)).toEqual(["154.755", "155.34"]);
  });

  test("an emergency brings its channel to the end, and takes it away again", () => {
    const p = desk({ scans: { "460.3": 0, "155.34": 1 }, filter: "mine" });
    const before = shownCards(p.store.now, null);
    p.store.change((s) => ({ ...s, desk: { ...s.desk, auto: { "154.755": { emergency: "e1", touched: false } } } }));
    const during = shownCards(p.store.now, before);
    expect(during).toEqual({ arranged: ["460.3", "155.34"], brought: ["154.755"] });
    p.store.change((s) => ({ ...s, desk: { ...s.desk, auto: {} } }));
    expect(shownCards(p.store.now, during)).toEqual(before);
  });

  test("a zone's own", () => {
    const p = desk({ zone: "2" });
    expect(all(p)).toEqual(["154.28", "155.34", "851.0"]);
  });
});
