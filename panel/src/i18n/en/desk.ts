/** The rail's lower tabs and its replay. */
export const desk = {
  "recall.title": "Replay all channels",
  "recall.all": "Replay all channels, last {n} s",
  "recall.seconds": "{n} s",

  "patch.title": "Patches",
  "patch.none": "No active patches",
  "patch.noneWhy": "A patch joins channels: what is heard on one is sent on all.",
  "patch.new": "New patch…",
  "patch.remove": "End patch {label}",
  "patch.removeShort": "End",
  "patch.talk": "Talk on patch {label}",

  "group.title": "Announcement groups",
  "group.none": "No announcement groups. An administrator can add them.",
  "group.arm": "Use {name} as PTT target",
  "group.armed": "PTT target",
  "group.talk": "Talk to {name}",

  "tones.title": "Tones",
  "tones.channel": "Send tones on",
  "tones.sendOn": "Send on",
  "tones.choose": "Choose a channel",
  "tones.chooseWhy": "Tones are sent only on the channel chosen here.",
  "tones.play": "Send {tone} on {channel}",
  "tones.on": "on {channel}",
  "tones.hold": "Hold to send",
  "tones.sent": "{tone} sent on {channel}",
  "tones.none": "No tones. An administrator can add them.",

  "tone.title": "Tone",
} as const;
