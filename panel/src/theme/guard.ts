/** Where a theme's mistakes go. */
export interface Report {
  /** Its code has thrown, or a promise of it was rejected. */
  error(where: string, error: unknown): void;
  /** It has asked for something that is not possible; it goes on. */
  warn(text: string): void;
}

/** Calls a theme's code: what it throws, now or later, is reported and disturbs nobody. */
export function guarded(report: Report, where: string, call: () => unknown): void {
  try {
    const result = call();
    if (isPromise(result)) result.then(undefined, (e: unknown) => report.error(where, e));
  } catch (e) {
    report.error(where, e);
  }
}

const isPromise = (x: unknown): x is PromiseLike<unknown> => typeof (x as PromiseLike<unknown> | null)?.then === "function";

/** Reports to the browser's console. */
export const toConsole = (name: string): Report => ({
  error: (where, error) => console.error(`Theme ${name}: error in ${where}:`, error),
  warn: (text) => console.warn(`Theme ${name}: ${text}`),
});
