/** The phone: its tabs and sheets. */
export const phone = {
  "phone.nav": "Views",
  "phone.channels": "Channels",
  "phone.log": "Log",
  "phone.units": "Units",
  "phone.more": "More",
} as const;
