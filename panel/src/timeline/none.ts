// The timeline of what has no past: nothing has happened, and nothing was recorded.
import { Refusal } from "../link/link";
import type { Timeline } from "./api";

const nothing = (): Promise<never> => Promise.reject(new Refusal(404, "nothing was recorded"));

export const noTimeline: Timeline = {
  recent: async () => [],
  page: async () => ({ entries: [], next: null, from: 0 }),
  audio: nothing,
  mix: nothing,
  exporting: nothing,
};
