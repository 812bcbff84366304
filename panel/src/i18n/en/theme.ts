/** Themes, and what stays of the console while one has hidden the rest. */
export const theme = {
  "theme.region": "Theme",
  "theme.desk": "Console",
  "theme.failed": "Theme {name} did not start",
  "theme.off": "Theme {name} was switched off: it failed twice",
  "theme.again": "{why} It gets one more try when this page is loaded again.",
  "theme.settings": "{why} You can try it again in the settings.",
  "theme.error": "Error in theme {name}",
  "theme.errorHint": "{error}. The theme goes on; the browser's console has more.",
  "theme.noSheet": "Its stylesheet could not be fetched.",
  "theme.noScript": "Its script could not be fetched.",
  "theme.notParsed": "Its script is not valid JavaScript: {error}.",
  "theme.threw": "Its script ended with an error: {error}.",
  "theme.line": "{error} (line {line})",
  "theme.removed": "Theme {name} was removed",
  "theme.removedHint": "It is no longer installed.",
  "theme.died": "The page stopped while it started.",
} as const;
