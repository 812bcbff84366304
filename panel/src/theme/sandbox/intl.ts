// The little of Intl that the panel needs where there is none, as in goja. Imported
// before everything else.

if (typeof Intl === "undefined") {
  class Collator {
    compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  }
  class NumberFormat {
    constructor(
      _language?: string,
      private readonly options: { maximumFractionDigits?: number } = {},
    ) {}
    format = (n: number): string => String(Number(n.toFixed(this.options.maximumFractionDigits ?? 3)));
  }
  // The rest says by name what is missing, so that the verdict can.
  const missing = ["DateTimeFormat", "RelativeTimeFormat", "PluralRules", "ListFormat", "Segmenter", "DisplayNames"].map((name) => [
    name,
    function (): never {
      throw new ReferenceError(`${name} is not defined`);
    },
  ]);
  (globalThis as unknown as Record<string, unknown>)["Intl"] = { Collator, NumberFormat, ...Object.fromEntries(missing) };
}

export {};
