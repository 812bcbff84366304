import type { Ports } from "../ports";
import type { Args, ArgsOf, Schema } from "./schema";

/** Something that the console does, under a name that keys, the palette and themes use. */
export interface Action {
  readonly id: string;
  readonly args: Schema;
  run(p: Ports, a: Args): unknown;
  /** Whether it can be done now. Without it: always. */
  enabled?(p: Ports, a: Args): boolean;
}

/** An action whose arguments have the types of its schema. */
export interface Defined<S extends Schema> {
  readonly id: string;
  readonly args: S;
  run(p: Ports, a: ArgsOf<S>): unknown;
  enabled?(p: Ports, a: ArgsOf<S>): boolean;
}

/** The registry calls run only with arguments that the schema allows. */
export const define = <const S extends Schema>(action: Defined<S>): Action => action;
