/** The keys that a task may name, as {ptt}; ptt is whichever key the trainee has set. The others are fixed. */
export const keys = {
  ptt: "",
  answer: "F9",
  acknowledge: "F8",
  region: "F6",
  here: "Enter",
  target: "X",
  monitor: "M",
  move: "M",
  priority: "P",
  mute: "U",
  talk: "T",
  replay: "R",
  alerts: "A",
  acknowledgeAlerts: "Alt+A",
  drawer: ".",
  commands: "Ctrl+K",
  help: "?",
} as const;

export const keyNames: readonly string[] = Object.keys(keys);
