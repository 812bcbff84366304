/** How it is with themes in this page, for the settings. */
export const condition = $state({
  /** The page was opened without themes. */
  safe: false,
  /** The theme that is chosen and did not start, and why; twice: it is switched off. Null: none is. */
  off: null as { name: string; why: string; twice: boolean } | null,
  /** Counts up when that theme is to be tried again. */
  tried: 0,
});
