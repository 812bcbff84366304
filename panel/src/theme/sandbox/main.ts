// The sandbox as one script: it defines squelchSandbox, which runs a theme, and
// squelchHost for pages.

import "./intl";
import "./browser";
import { hostInPage } from "./inpage";
import { run } from "./run";

Object.defineProperty(globalThis, "squelchSandbox", { value: run });
Object.defineProperty(globalThis, "squelchHost", { value: hostInPage });
