// The file that was chosen or dropped. Only one zip is taken, and a folder is not one.
import { size } from "./size";
import type { Say } from "../say";

/** The largest zip that the service takes, in bytes: core/wire, ThemeBytes. */
export const most = 5 * 1024 * 1024 + 64 * 1024;

/** Dropped is what is needed of a DataTransferItem. */
export interface Dropped {
  kind: string;
  getAsFile(): File | null;
  webkitGetAsEntry(): { isDirectory: boolean; name: string } | null;
}

/** dropped is the one file among what was dropped, or why there is none; undefined: no file was dropped. */
export function dropped(say: Say, items: Dropped[]): File | string | undefined {
  const files = items.filter((i) => i.kind === "file");
  const [first] = files;
  if (first === undefined) return undefined;
  if (files.length > 1) return say.t("themes.one");
  const entry = first.webkitGetAsEntry();
  if (entry?.isDirectory) return say.t("themes.folder", { file: entry.name });
  return first.getAsFile() ?? undefined;
}

/** held reads a file into memory: what is installed are the bytes that were reviewed, whatever becomes of the file. It returns why it cannot. */
export async function held(say: Say, file: File): Promise<Blob | string> {
  if (file.size > most) return say.t("themes.large", { file: file.name, most: size(say.language, most) });
  try {
    return new Blob([await file.arrayBuffer()], { type: "application/zip" });
  } catch {
    return say.t("themes.unreadable", { file: file.name });
  }
}
