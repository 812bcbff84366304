// The sandbox as one script: it defines squelchSandbox, which runs a theme.

import "./intl";
import "./browser";
import { run } from "./run";

Object.defineProperty(globalThis, "squelchSandbox", { value: run });
