// What themes and scripts find in the page: the console's own words for its parts and states.

export const parts = `console status-bar health voice clock emergency-lane emergency-slot emergency-plate emergency-open emergency-ended
  answer acknowledge close-emergency tools zone-tab filter layout zoom channels channel-card name band state talker timer meter
  instant-tx monitor target replay more patch-tag alert drawer rail log desk unit patch group tone ptt-bar ptt targets ptt-target
  ptt-line microphone latch notice dialog palette onboarding`.split(/\s+/);

export const values = {
  "[data-part=channel-card]": ["idle", "off", "rx", "wait", "tx", "over", "busy", "overridden", "denied", "em", "ack", "ended", "link", "noaudio"],
  "[data-part=emergency-slot]": ["unacknowledged", "acknowledged", "ended"],
  "[data-part=ptt]": ["IDLE", "REQUESTED", "TX", "TAIL", "DENIED", "LATCHED", "NOMIC", "NOLINK"],
};

export const flags = ["monitored", "target", "alert", "patched", "muted"];

/** In the page: its parts, and what they are in. roots: names of data attributes of the root. */
export const inventory = ([values, flags, roots]) => {
  const found = [...document.querySelectorAll("[data-part]")].flatMap((e) => e.dataset.part.split(" "));
  for (const [selector, all] of Object.entries(values))
    for (const value of all) if (document.querySelector(`${selector}[data-state=${value}]`)) found.push(`${selector} ${value}`);
  for (const flag of flags) for (const value of [true, false]) if (document.querySelector(`[data-part=channel-card][data-${flag}=${value}]`)) found.push(`${flag} ${value}`);
  for (const root of roots) found.push(`root ${root} ${document.documentElement.dataset[root]}`);
  return found;
};

/** All that an inventory must have found at some time. roots: the values of each of the root's data attributes. */
export const promised = (roots) => [
  ...parts,
  ...Object.entries(values).flatMap(([selector, all]) => all.map((v) => `${selector} ${v}`)),
  ...flags.flatMap((f) => [`${f} true`, `${f} false`]),
  ...Object.entries(roots).flatMap(([root, all]) => all.map((v) => `root ${root} ${v}`)),
];
