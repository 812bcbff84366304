import type { Scenario } from "./api";
import demo from "./scenarios/demo.json";
import firstShift from "./scenarios/first-shift.json";
import officerDown from "./scenarios/officer-down.json";
import storm from "./scenarios/storm.json";

// TypeScript reads the "do" of a step as any text; a test reads each file as scenario.
const of = (id: string, file: unknown): { id: string; scenario: Scenario } => ({ id, scenario: file as Scenario });

/** The scenarios that come with the panel, the one to begin with first. */
export const shipped: readonly { id: string; scenario: Scenario }[] = [
  of("demo", demo),
  of("first-shift", firstShift),
  of("officer-down", officerDown),
  of("storm", storm),
];
