import { command } from "./en/command";
import { dialog } from "./en/dialog";
import { drawer } from "./en/drawer";
import { keys } from "./en/keys";
import { layout } from "./en/layout";
import { recall } from "./en/recall";

/** English of what is not seen at once, fetched with the first dialog, drawer or menu. */
export const enDialog = { ...drawer, ...layout, ...recall, ...dialog, ...command, ...keys } as const;
