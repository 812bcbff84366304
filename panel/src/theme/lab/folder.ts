// What "squelch theme dev" says of the folder that it watches.

/** Something that was taken out of a style sheet, or that a check has found. */
export interface FolderRemoval {
  file: string;
  line: number;
  column: number;
  what: string;
  why: string;
}

/** The folder as it was read last. */
export interface Folder {
  slug: string;
  /** Its path, for people. */
  folder: string;
  /** When it was read, ms since the epoch. */
  at: number;
  /** What of it the stylesheets decide, and what all the rest does: hashes. */
  style: string;
  rest: string;
  /** Why it is no theme as it is; "": it is one. */
  error: string;
  removed: FolderRemoval[];
  hints: string[];
}

/** What of the theme has changed: its stylesheets alone, more, or nothing that is drawn. */
export function changeOf(before: Folder | null, now: Folder): "style" | "theme" | "nothing" {
  if (!before || (before.style === now.style && before.rest === now.rest)) return "nothing";
  return before.rest === now.rest ? "style" : "theme";
}

/** Tells how the folder is, now and after each change, until the function that it returns is called. reached: whether the program answers. */
export function watchFolder(tell: (now: Folder, what: ReturnType<typeof changeOf>) => void, reached: (there: boolean) => void): () => void {
  let before: Folder | null = null;
  const events = new EventSource("dev/events");
  events.addEventListener("folder", (e) => {
    const now = JSON.parse((e as MessageEvent<string>).data) as Folder;
    const what = changeOf(before, now);
    before = now;
    tell(now, what);
  });
  events.onopen = () => reached(true);
  events.onerror = () => reached(false); // the browser tries again by itself
  return () => events.close();
}
