/** Above the cards: zones, filter, layout, zoom. */
export const tools = {
  "tools.title": "Zones, filter, layout and zoom",

  "zones.title": "Zones",
  "zones.all": "All zones",
  "zones.emergencies.one": "{n} emergency",
  "zones.emergencies.other": "{n} emergencies",

  "filter.title": "Show channels",
  "filter.mine": "Mine",
  "filter.active": "Active",
  "filter.all": "All",

  "zoom.title": "Zoom",
  "zoom.smaller": "Zoom out",
  "zoom.larger": "Zoom in",
  "zoom.fit": "Fit to screen",
  "zoom.value": "{percent}%",

  "layout.current": "Layout: {name}",
  "layout.unnamed": "Layout",
  "layout.edit": "Edit layout",
  "layout.done": "Done",
} as const;
