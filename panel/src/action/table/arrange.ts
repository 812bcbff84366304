import { densities, filters, zooms } from "../../state/desk";
import { define } from "../define";
import { setFilter } from "../filter";
import { saveLayout, setDensity, useLayout } from "../layout";
import { showZone } from "../screen";
import { setZoom, zoomBy } from "../zoom";

/** Which channels are shown, and how. */
export const arrangement = [
  define({ id: "zone.show", args: { zone: { kind: "zone" } }, run: (p, a) => showZone(p, a.zone) }),
  define({ id: "filter.set", args: { filter: { kind: "choice", of: filters } }, run: (p, a) => setFilter(p, a.filter) }),
  define({ id: "layout.use", args: { layout: { kind: "layout" } }, run: (p, a) => useLayout(p, a.layout) }),
  define({ id: "layout.save", args: { name: { kind: "text", least: 1, most: 40 } }, run: (p, a) => saveLayout(p, a.name) }),
  define({ id: "zoom.set", args: { percent: { kind: "number", least: zooms.least * 100, most: zooms.most * 100 } }, run: (p, a) => setZoom(p, a.percent / 100) }),
  define({ id: "zoom.larger", args: {}, run: (p) => zoomBy(p, 1) }),
  define({ id: "zoom.smaller", args: {}, run: (p) => zoomBy(p, -1) }),
  define({ id: "zoom.fit", args: {}, run: (p) => setZoom(p, "fit") }),
  define({ id: "density.set", args: { density: { kind: "choice", of: densities } }, run: (p, a) => setDensity(p, a.density) }),
];
