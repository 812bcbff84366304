// Where a theme comes from that is to be installed, and what the service is asked with it.
import type { ThemeInstalled, ThemeReview } from "../../wire.gen";
import { call, upload } from "../api";

/** Origin is an uploaded file, held as it was when it was chosen, or a theme of the marketplace. */
export type Origin = { kind: "upload"; name: string; zip: Blob } | { kind: "market"; name: string; slug: string };

/** Transfer is how far an upload is, and how it is stopped. */
export interface Transfer {
  sent(share: number): void;
  stop: AbortSignal;
}

export const reviewOf = (o: Origin, t: Transfer): Promise<ThemeReview> =>
  o.kind === "upload" ? upload("POST /admin/api/themes/review", o.zip, "", t.sent, t.stop) : call("POST /admin/api/themes/market/review", { slug: o.slug });

/** install installs what was reviewed: the build of the review, and a script of that hash or none. */
export function install(o: Origin, js: string, build: string, t: Transfer): Promise<ThemeInstalled> {
  const what: { build: string; js?: string } = js === "" ? { build } : { js, build };
  if (o.kind === "market") return call("POST /admin/api/themes/market/install", { slug: o.slug, ...what });
  return upload("POST /admin/api/themes/install", o.zip, new URLSearchParams({ ...what }).toString(), t.sent, t.stop);
}
