import { app } from "./de/app";
import { card } from "./de/card";
import { command } from "./de/command";
import { desk } from "./de/desk";
import { dialog } from "./de/dialog";
import { drawer } from "./de/drawer";
import { first } from "./de/first";
import { incident } from "./de/incident";
import { keys } from "./de/keys";
import { lane } from "./de/lane";
import { layout } from "./de/layout";
import { notice } from "./de/notice";
import { phone } from "./de/phone";
import { ptt } from "./de/ptt";
import { rail } from "./de/rail";
import { recall } from "./de/recall";
import { status } from "./de/status";
import { theme } from "./de/theme";
import { tools } from "./de/tools";
import { trouble } from "./de/trouble";
import type { Catalogue } from "./en";

/** Deutsch. */
export const de: Catalogue = {
  ...app, ...status, ...lane, ...theme, ...tools, ...card, ...rail, ...ptt, ...notice, ...phone, ...desk, ...trouble,
  ...drawer, ...layout, ...recall, ...dialog, ...command, ...keys, ...first, ...incident,
};
