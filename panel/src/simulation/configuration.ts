import { isObject } from "./fields";
import demoRadio from "./radio.gen.json";

/** The radio that a scenario plays on: its own, or the demo radio, in which it may change fields. */
export function configurationOf(radio: unknown): unknown {
  if (radio === undefined) return demoRadio;
  return isObject(radio) && radio["zones"] === undefined ? { ...demoRadio, ...radio } : radio;
}
