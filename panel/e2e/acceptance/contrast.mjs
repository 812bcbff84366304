// What has to be told apart, as the page has computed it: text and lines on what is
// behind them, and fills against each other. Ratios are WCAG 2.2, Lc is APCA 0.1.9.
import { lightness, ratio } from "./colour.mjs";

const card = (state, more = "") => `[data-part=channel-card][data-state=${state}]${more}`;
const slot = (state) => `[data-part=emergency-slot][data-state=${state}]`;

/**
 * What is read, in the states of the catalogue: [what, state, selector, least ratio, least Lc].
 * Text is measured in its own colour; `of` names another property. Behind it is the nearest ground,
 * with and without its stripes; `on` is another element, whose ground is taken.
 */
export const text = [
  ["name on a monitored card", "rest", `${card("idle", "[data-monitored=true]")} [data-part=name]`, 7, 75],
  ["name on a card that is not monitored", "rest", `${card("idle", "[data-monitored=false]")} [data-part=name]`, 7, 60],
  ["Idle on a monitored card", "rest", `${card("idle", "[data-monitored=true]")} [data-part=state]`, 4.5, 45],
  ["Idle on a card that is not monitored", "rest", `${card("idle", "[data-monitored=false]")} [data-part=state]`, 4.5, 45],
  ["frequency on a card", "rest", `${card("idle", "[data-monitored=true]")} p`, 4.5, 45],
  ["small text on a panel", "rest", "[data-part=ptt-line]", 4.5, 45],
  ["hint on the PTT key", "rest", "[data-part=ptt][data-state=IDLE] small", 4.5, 40],
  ["label of a key", "rest", `${card("idle")} [data-part=instant-tx]`, 4.5, 60],
  ["PTT key of a target", "rest", "[data-part=target][aria-pressed=true]", 4.5, 50],
  ["PTT key of no target", "rest", "[data-part=target][aria-pressed=false]", 4.5, 45],
  ["edge of a target", "rest", `[data-part=channel-card][data-target=true]`, 3, 30, { before: true }],
  ["outline of Talk", "rest", `${card("idle")} [data-part=instant-tx]`, 3, 25, { of: "borderTopColor" }],
  ["ring of the focus", "focus", ".card:has(.select:focus-visible)", 4.5, 45, { of: "outlineColor", on: "[data-part=channels]" }],
  ["main key", "nothing-monitored", ".primary", 3.5, 50],
  ["talk that is not monitored", "traffic", `${card("off")} [data-part=talker]`, 4.5, 40],
  ["its word", "traffic", `${card("off")} [data-part=state]`, 4.5, 40],
  ["talker in RX", "traffic", `${card("rx")} [data-part=talker]`, 4.5, 60],
  ["word in RX", "traffic", `${card("rx")} [data-part=state]`, 4.5, 60],
  ["word on the air", "traffic", `${card("tx")} [data-part=state]`, 4.5, 60],
  ["holder of a busy channel", "traffic", `${card("busy")} [data-part=talker]`, 4.5, 60],
  ["ON AIR", "traffic", "[data-part=ptt][data-state=TX] b", 4.5, 60],
  ["result On air of a target", "traffic", "[data-part=ptt-target][data-state=tx] span", 4.5, 45],
  ["result Busy of a target", "traffic", "[data-part=ptt-target][data-state=busy] span", 4.5, 60],
  ["talk in the log", "traffic", "[data-part=log] [data-kind=rx] .dur", 4.5, 45],
  ["own talk in the log", "traffic", "[data-part=log] [data-kind=tx] .dur", 4.5, 45],
  ["patch", "traffic", "[data-part=patch-tag]", 4.5, 45],
  ["alert", "traffic", "[data-part=alert]", 4.5, 45],
  ["EMERGENCY in the lane", "traffic", `${slot("unacknowledged")} .plate b`, 7, 75],
  ["EMERGENCY on a card", "traffic", `${card("em")} [data-part=emergency-plate] b`, 7, 75],
  ["name in the lane", "traffic", `${slot("unacknowledged")} .who b`, 4.5, 60],
  ["name on the card of an emergency", "traffic", `${card("em")} [data-part=talker]`, 4.5, 60],
  ["Answer", "traffic", `${card("em")} [data-part=answer]`, 7, 75],
  ["key on the card of an emergency", "traffic", `${card("em")} [data-part=instant-tx]`, 4.5, 60],
  ["name of an open emergency in the lane", "traffic", `${slot("acknowledged")} .who b`, 7, 75],
  ["name of an open emergency on its card", "traffic", `${card("ack")} [data-part=talker]`, 7, 75],
  ["frame of an open emergency beside other cards", "traffic", card("ack"), 3, 25, { of: "boxShadow", on: card("idle") }],
  ["frame of an open emergency on its card", "traffic", card("ack"), 3, 25, { of: "boxShadow" }],
  ["frame of an ended emergency", "ended", card("ended"), 3, 25, { of: "outlineColor" }],
  ["ENDED", "ended", `${card("ended")} [data-part=state]`, 7, 75],
  ["TX requested on a card", "requested", `${card("wait")} [data-part=state]`, 4.5, 45],
  ["TX requested in the bar", "requested", "[data-part=ptt][data-state=REQUESTED] b", 4.5, 45],
  ["DENIED on a card", "denied", `${card("denied")} [data-part=state]`, 4.5, 45],
  ["DENIED in the bar", "denied", "[data-part=ptt][data-state=DENIED] b", 4.5, 45],
  ["OVERRIDDEN", "overridden", `${card("overridden")} [data-part=state]`, 4.5, 45],
  ["OVERRIDE on its stripes", "override", `${card("over")} [data-part=state]`, 4.5, 60],
  ["LATCHED on its stripes", "latched", "[data-part=ptt][data-state=LATCHED] b", 4.5, 60],
  ["NO LINK", "no-link", `${card("link")} [data-part=state]`, 4.5, 45],
  ["the talker that is last known", "no-link", `${card("link")} [data-part=talker]`, 4.5, 40],
  ["what is wrong, in the status bar", "no-link", "[data-part=link-strip] p", 7, 75],
  ["No link in the bar", "no-link", "[data-part=ptt][data-state=NOLINK] b", 4.5, 45],
  ["NO AUDIO", "no-audio", `${card("noaudio")} [data-part=state]`, 4.5, 45],
  ["No microphone in the bar", "no-microphone", "[data-part=ptt][data-state=NOMIC] b", 4.5, 45],
];

/** Fills that must not be taken for each other: [what, state, selector, selector, least ratio]. */
export const fills = [
  ["RX and idle", "traffic", `${card("rx")} [data-part=band]`, card("idle", "[data-monitored=true]"), 1.5],
  ["on the air and idle", "traffic", `${card("tx")} [data-part=band]`, card("idle", "[data-monitored=true]"), 1.5],
  ["busy and idle", "traffic", `${card("busy")} [data-part=band]`, card("idle", "[data-monitored=true]"), 1.5],
  ["emergency and idle", "traffic", card("em"), card("idle", "[data-monitored=true]"), 1.5],
  ["on the air and RX", "traffic", `${card("tx")} [data-part=band]`, `${card("rx")} [data-part=band]`, 1.5],
  ["plate and on the air", "traffic", "[data-part=emergency-plate]", `${card("tx")} [data-part=band]`, 1.5],
  ["plate and RX", "traffic", "[data-part=emergency-plate]", `${card("rx")} [data-part=band]`, 2.5],
  ["plate and the field of its emergency", "traffic", "[data-part=emergency-plate]", card("em"), 2.5],
  ["monitored and not monitored", "rest", card("idle", "[data-monitored=true]"), card("idle", "[data-monitored=false]"), 1.1],
];

/** In the page: the colour that is asked for of an element, or of the first that a selector finds, and the grounds that are behind it. */
function read([which, of, on, before]) {
  const e = typeof which === "string" ? document.querySelector(which) : which;
  if (!e) return null;
  const colours = (css) => [...css.matchAll(/rgba?\(([^)]+)\)|\btransparent\b/g)].map((m) => {
    const [r = 0, g = 0, b = 0, a = 1] = m[1]?.split(/[ ,/]+/).map(Number) ?? [0, 0, 0, 0];
    return [r, g, b, a];
  });
  const over = ([r, g, b, a], ground) => [r, g, b].map((c, i) => c * a + ground[i] * (1 - a));
  const flat = (css, ground) => over(colours(css)[0] ?? [0, 0, 0, 0], ground);
  /** What is behind an element: its own fill on those of the elements around it, with and without stripes. */
  const groundsOf = (e) => {
    if (!e) return [[255, 255, 255]];
    const style = getComputedStyle(e);
    const [, , , a] = colours(style.backgroundColor)[0];
    const stripes = style.backgroundImage.includes("repeating") ? colours(style.backgroundImage) : [];
    const under = a === 1 ? [[0, 0, 0]] : groundsOf(e.parentElement);
    const own = under.map((g) => flat(style.backgroundColor, g));
    return [...own, ...own.flatMap((g) => stripes.filter((s) => s[3] > 0).map((s) => over(s, g)))];
  };
  if (before) {
    const [ground] = groundsOf(e);
    return { colour: flat(getComputedStyle(e, "::before").backgroundColor, ground), grounds: [ground] };
  }
  const grounds = groundsOf(on ? document.querySelector(on) : e);
  return { colour: flat(getComputedStyle(e)[of ?? "color"], grounds[0]), grounds };
}

const hex = (c) => `#${c.map((x) => Math.round(x).toString(16).padStart(2, "0")).join("")}`;

/** Measures what is to be seen in a state: one row for every pair, { what, state, look, colour, ground, ratio, lc, ok }. */
export async function measure(page, state, look) {
  const got = [];
  for (const [what, , selector, least, leastLc, { of, on, before } = {}] of text.filter((t) => t[1] === state)) {
    const found = await page.evaluate(read, [selector, of, on, before]);
    if (!found) throw new Error(`${what}: ${selector} is not on the page`);
    for (const ground of found.grounds) {
      const [r, lc] = [ratio(found.colour, ground), lightness(found.colour, ground)];
      got.push({ what, state, look, colour: hex(found.colour), ground: hex(ground), ratio: r, least, lc, leastLc, ok: r >= least && lc >= leastLc });
    }
  }
  for (const [what, , one, two, least] of fills.filter((f) => f[1] === state)) {
    const [a, b] = [await page.evaluate(read, [one]), await page.evaluate(read, [two])];
    if (!a || !b) throw new Error(`${what}: ${a ? two : one} is not on the page`);
    const r = ratio(a.grounds[0], b.grounds[0]);
    got.push({ what, state, look, colour: hex(a.grounds[0]), ground: hex(b.grounds[0]), ratio: r, least, lc: null, leastLc: null, ok: r >= least });
  }
  return got;
}

/** In the page: every element that has text of its own and is seen, with its colour and its grounds. What is disabled is left out, as WCAG does. */
function readAll(read, within) {
  const seen = (e) => {
    const { width, height } = e.getBoundingClientRect();
    return width > 1 && height > 1 && e.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !e.closest(":disabled, option, svg, [aria-hidden=true], .spoken");
  };
  return [...document.querySelectorAll(`${within} *`)]
    .filter((e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim() !== "") && seen(e))
    .map((e) => ({ what: `${e.dataset.part ?? e.className} "${e.textContent.trim().slice(0, 30)}"`, ...read([e]) }));
}

/** The texts in the part of a page that within selects which have less contrast than that. */
export async function unreadable(page, within, least = 4.5) {
  const all = await page.evaluate(`(${readAll})(${read}, ${JSON.stringify(within)})`);
  if (all.length < 10) throw new Error(`only ${all.length} texts are in ${within}`);
  return all.flatMap(({ what, colour, grounds }) => grounds.filter((g) => ratio(colour, g) < least).map((g) => `${what}: ${hex(colour)} on ${hex(g)} ${ratio(colour, g).toFixed(2)}`));
}

/** How bright what stands out most is against the page, beside the plate of an emergency; and what is colourful. In the page. */
export function standing() {
  const part = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  const bright = ([r, g, b]) => 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
  const rgb = (css) => css.match(/[\d.]+/g).map(Number);
  const back = bright(rgb(getComputedStyle(document.body).backgroundColor));
  const contrast = (c) => (Math.max(bright(c), back) + 0.05) / (Math.min(bright(c), back) + 0.05);
  const plate = contrast(rgb(getComputedStyle(document.querySelector("[data-part=emergency-slot] [data-part=emergency-plate]")).backgroundColor));
  const found = [...document.querySelectorAll("[data-part=console] *")]
    .filter((e) => !e.closest("svg, kbd, .meter, i, [data-part=emergency-slot], [data-part=channel-card][data-state=em]"))
    .filter((e) => e.getBoundingClientRect().width * e.getBoundingClientRect().height > 2000)
    .map((e) => ({ what: e.dataset.part ?? e.className, c: rgb(getComputedStyle(e).backgroundColor) }))
    .filter(({ c }) => c.length === 3 || c[3] > 0.5);
  return { over: found.filter(({ c }) => contrast(c) > plate).map((f) => f.what), looked: found.length };
}

/** The table of what was measured, in Markdown. */
export function table(rows) {
  const looks = [...new Set(rows.map((r) => r.look))];
  const what = [...new Map(rows.map((r) => [`${r.state} ${r.what}`, r])).values()];
  const cell = (w, look) => {
    const of = rows.filter((r) => r.state === w.state && r.what === w.what && r.look === look);
    const worst = of.sort((a, b) => a.ratio - b.ratio)[0];
    return worst ? `${of.every((r) => r.ok) ? "" : "**below** "}${worst.ratio.toFixed(1)}${worst.lc === null ? "" : `, Lc ${Math.min(...of.map((r) => r.lc)).toFixed(0)}`}, ${worst.colour} on ${worst.ground}` : "";
  };
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    "# Contrast", "",
    "Measured in the pages of the console: the ratio of WCAG 2.2 and the Lc of APCA 0.1.9, the least of a fill and its stripes.", "",
    line(["What", "State", "At least", ...looks]), line(["---", "---", "---", ...looks.map(() => "---")]),
    ...what.map((w) => line([w.what, w.state, `${w.least}${w.leastLc === null ? "" : `, Lc ${w.leastLc}`}`, ...looks.map((l) => cell(w, l))])), "",
  ].join("\n");
}
