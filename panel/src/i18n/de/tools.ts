import type { tools as en } from "../en/tools";

export const tools: Record<keyof typeof en, string> = {
  "tools.title": "Zonen, Filter, Layout und Zoom",

  "zones.title": "Zonen",
  "zones.all": "Alle Zonen",
  "zones.emergencies.one": "{n} Notruf",
  "zones.emergencies.other": "{n} Notrufe",

  "filter.title": "Kanäle zeigen",
  "filter.mine": "Meine",
  "filter.active": "Aktive",
  "filter.all": "Alle",

  "zoom.title": "Zoom",
  "zoom.smaller": "Verkleinern",
  "zoom.larger": "Vergrößern",
  "zoom.fit": "An Bildschirm anpassen",
  "zoom.value": "{percent} %",

  "layout.current": "Layout: {name}",
  "layout.unnamed": "Layout",
  "layout.edit": "Layout bearbeiten",
  "layout.done": "Fertig",
};
