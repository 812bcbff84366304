import { card } from "./en/card";
import { lane } from "./en/lane";
import { ptt } from "./en/ptt";

/** The English of the console; it is loaded with the console. */
export const enConsole = { ...lane, ...card, ...ptt } as const;
