// After Vite: puts the sandbox of themes where the program embeds it.
import { copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
copyFileSync(join(here, "../dist-sandbox/sandbox.js"), join(here, "../../themes/sandbox/dist/sandbox.js"));
