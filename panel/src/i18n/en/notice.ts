/** What is said beside the regions: notices, faults, announcements, undo. */
export const notice = {
  "attention.by": "by {name}",
  "attention.acknowledged": "Emergency from {name} acknowledged",
  "attention.dismiss": "Dismiss {title}",
  "emergency.list": "Open emergencies",

  "undo.move": "{unit} moved to {channel}.",
  "undo.undo": "Undo",

  "fault.voice": "No audio from {name} on {channel}.",
  "fault.waiting": "{name} on {channel}: all voice slots are in use.",
  "fault.wait": "{error}. Try again in {s} s.",
  "fault.storage": "Nothing was changed: the server cannot write to its disk. Ask the administrator to check the disk. ({error})",
  "fault.unreachable": "No answer from the server.",
  "fault.alert": "Alert on {channel} failed",
  "fault.panic": "Emergency action for {name} failed",
  "fault.move": "Could not move {name}",
  "fault.message": "Message to {name} not sent",
  "fault.disconnect": "Could not disconnect {name}",
  "fault.callsign": "Could not change the callsign of {name}",

  "recorder.title": "Recorder",
  "recorder.stopped": "Nothing is recorded: {reason}",
  "recorder.again": "Recording again",

  "say.talks": "{name}, {channel}",
  "say.panic": "Emergency: {name} on {channel}",
  "say.alert": "{alert} on {channel}",

  "alert.title": "Alert",
  "alert.clear": "Clear",
  "alert.unknown": "Unknown alert: {name}.",

  "broadcast.title": "Broadcast",
  "unit.title": "Unit {name}",
  "more.broadcast": "Broadcast…",
} as const;
