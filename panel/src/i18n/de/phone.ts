import type { phone as en } from "../en/phone";

export const phone: Record<keyof typeof en, string> = {
  "phone.nav": "Ansichten",
  "phone.channels": "Kanäle",
  "phone.log": "Protokoll",
  "phone.units": "Einheiten",
  "phone.more": "Mehr",
};
