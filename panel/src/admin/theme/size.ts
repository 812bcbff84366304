/** size writes bytes as a reader of that language does: with a unit that keeps the number short. */
export function size(language: string, bytes: number): string {
  const [unit, of] = bytes < 1000 ? (["byte", 1] as const) : bytes < 1_000_000 ? (["kilobyte", 1000] as const) : bytes < 1_000_000_000 ? (["megabyte", 1_000_000] as const) : (["gigabyte", 1_000_000_000] as const);
  return new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: unit === "byte" ? "long" : "short", maximumFractionDigits: 1 }).format(bytes / of);
}
