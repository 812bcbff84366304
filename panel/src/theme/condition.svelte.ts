/** How it is with themes in this page, for the settings. */
export const condition = $state({
  /** The page was opened without themes. */
  safe: false,
  /** The theme that is chosen and switched off, and why; null: none is. */
  off: null as { name: string; why: string } | null,
  /** Counts up when the theme that is off is to be tried again. */
  tried: 0,
});
