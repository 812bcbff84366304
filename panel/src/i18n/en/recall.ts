/** Replay: menu and player; fetched with the first of them. */
export const recall = {
  "recall.everything": "All channels",
  "recall.again": "Replay {channel}, last {n} s",
  "recall.last": "Replay last {n} s",
  "recall.menu": "Replay {channel}",
  "recall.stop": "Stop replay",
  "recall.close": "Close replay",
  "recall.list": "Recordings",
  "recall.count.one": "{n} transmission · {s} s",
  "recall.count.other": "{n} transmissions · {s} s",
  "recall.of": "Replay",
  "recall.none": "No replay",
  "recall.noneWhy": "Choose how much of the last traffic to replay. Only what this console has heard is recorded.",
  "recall.from": "Play from {time}, {name}",
  "recall.timeline": "Timeline",
  "recall.nothing": "Nothing recorded",
  "recall.interrupted": "Replay stopped: emergency",
} as const;
