/** moment is a point in time as this browser's user writes it. */
export const moment = (ms: number): string => new Date(ms).toLocaleString();
