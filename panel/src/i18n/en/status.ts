/** The status bar: link, voice, microphone, clock, user. */
export const status = {
  "status.bar": "Status",
  "status.health": "Connection",
  "status.roundTrip": "{ms} ms",
  "status.loss": "{percent}% packet loss",
  "status.voice": "Voice",
  "status.clock": "Time",
  "status.commands": "Commands",
  "status.settings": "Settings",
  "status.account": "{callsign}: account",
  "status.shortcuts": "Keyboard shortcuts",
  "status.logout": "Sign out",
  "status.id": "Console {id}",
  "status.stale": "The server is not responding. This display may be out of date.",
  "status.sound": "Turn on sound",

  "health.connected": "Connected",
  "health.stale": "Not responding",
  "health.disconnected": "No link",

  "plane.webrtc": "Voice: direct",
  "plane.simulated": "Voice: simulated",
  "plane.socket": "Voice: fallback",
  "plane.connecting": "Voice connecting…",
  "plane.none": "No voice",

  "key.Ctrl": "Ctrl",
  "key.Shift": "Shift",
  "key.Home": "Home",
  "key.End": "End",
} as const;
