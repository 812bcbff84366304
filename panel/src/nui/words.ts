// The page's own words. What a display shows is short and in capitals, as on radios.

export const en = {
  off: "Off", noService: "NO SERVICE", connecting: "CONNECTING", noChannel: "NO CHANNEL", listening: "SCAN LIST {n}",
  tx: "TRANSMIT", asking: "WAIT", denied: "BUSY", rxOnly: "RX ONLY", emergency: "EMERGENCY", mine: "EMERGENCY SENT", hot: "MIC OPEN {s}",
  volume: "VOLUME", tones: "TONES", noMic: "NO MICROPHONE", allow: "MICROPHONE?", unit: "UNIT {id}",
  scan: "Scan", gps: "GPS", earbuds: "Earbuds", night: "Light", theme: "Display", layout: "Model", close: "Close",
  power: "Power", talk: "Push to talk", up: "Channel up", down: "Channel down", next: "Next zone", before: "Previous zone",
  emergencyKey: "Emergency button", volumeKnob: "Volume. Click: power. With Shift: tones", channelKnob: "Channel selector",
  askTitle: "Allow the microphone", ask: "Press F8, then click Allow. Without it you can listen, but not talk.",
  refusedTitle: "The microphone is off", refused: "You can listen, but not talk. Press F8 to see the request, or try again.", missing: "No microphone was found. Plug one in, then try again.",
  retry: "Try again", radio: "Radio",
};
export type Words = typeof en;

const de: Words = {
  off: "Aus", noService: "KEIN NETZ", connecting: "VERBINDEN", noChannel: "KEIN KANAL", listening: "SCANLISTE {n}",
  tx: "SENDEN", asking: "WARTEN", denied: "BESETZT", rxOnly: "NUR EMPFANG", emergency: "NOTRUF", mine: "NOTRUF GESENDET", hot: "MIKRO OFFEN {s}",
  volume: "LAUTSTÄRKE", tones: "TÖNE", noMic: "KEIN MIKROFON", allow: "MIKROFON?", unit: "EINHEIT {id}",
  scan: "Scan", gps: "GPS", earbuds: "Ohrhörer", night: "Licht", theme: "Anzeige", layout: "Gerät", close: "Zu",
  power: "Ein/Aus", talk: "Sprechtaste", up: "Kanal vor", down: "Kanal zurück", next: "Nächste Zone", before: "Vorige Zone",
  emergencyKey: "Notruftaste", volumeKnob: "Lautstärke. Klick: ein/aus. Mit Umschalttaste: Töne", channelKnob: "Kanalwahl",
  askTitle: "Mikrofon erlauben", ask: "F8 drücken, dann auf Allow klicken. Ohne Mikrofon ist nur Empfang möglich.",
  refusedTitle: "Das Mikrofon ist aus", refused: "Nur Empfang möglich, kein Senden. F8 zeigt die Anfrage. Oder erneut versuchen.", missing: "Kein Mikrofon gefunden. Mikrofon anschließen und erneut versuchen.",
  retry: "Erneut versuchen", radio: "Funkgerät",
};

/** The words in the language of the player's browser. */
export const words: Words = (typeof navigator === "undefined" ? "" : navigator.language).startsWith("de") ? de : en;

/** fill puts values into a text's {places}. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

