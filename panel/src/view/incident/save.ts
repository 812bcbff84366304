/** How long the browser may take to begin with a download, ms. */
const kept = 60_000;

/** save gives a file to the browser's downloads. */
export function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const a = Object.assign(document.createElement("a"), { href: url, download: name });
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), kept);
}
