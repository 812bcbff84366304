import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type UserConfig } from "vite";
import { parts } from "./build/parts.mjs";

// In development the service runs beside Vite: just run, then npm run dev.
const service = process.env["SQUELCH_URL"] ?? "http://127.0.0.1:7777";

// What the first page and the console share is one file: many small ones compress worse.
const groups = [
  { name: "core", test: /preload-helper|src\/(panel|sound|i18n\/language\.svelte|i18n\/refusal|i18n\/en(\/app)?|link\/(link|rest|session)|view\/(panel|clock\.svelte|room)|action\/(screen|retune|target|acknowledge|emergency|group|login)|state\/(radio|emergency|log|desk|state|store\.svelte|transmission|event|memory|notification|pttbar|floor|status|ptt|without|target|arrangement))\.ts$/ },
];

/** The page in the game: few files, of fixed names, for the game's browser, Chromium 103. */
const nui: UserConfig["build"] = {
  target: "chrome103",
  outDir: "dist-nui",
  assetsDir: "",
  copyPublicDir: false,
  rolldownOptions: { input: "nui.html", output: { entryFileNames: "app.js", assetFileNames: "[name][extname]", codeSplitting: false } },
};

/** The sandbox of themes: one script for an engine without modules. */
const sandbox: UserConfig["build"] = {
  target: "es2022",
  outDir: "dist-sandbox",
  copyPublicDir: false,
  chunkSizeWarningLimit: 1_000, // kB: nobody downloads it
  rolldownOptions: {
    input: "src/theme/sandbox/main.ts",
    transform: { define: { "import.meta": "{}" } },
    output: { format: "iife", entryFileNames: "sandbox.js", codeSplitting: false },
  },
};

export default defineConfig(({ mode }) => ({
  plugins: [svelte(), parts(mode)],
  // Relative: the simulation runs from any folder of any web server, and a host may have
  // several radios, each below /r/NAME/.
  base: "./",
  build: {
    target: "es2022",
    assetsInlineLimit: 0, // data: URLs would need a wider content security policy
    // The administration is a page of its own, built by itself ("--mode admin"):
    // together both would share one Svelte, with all that only one of them uses.
    rolldownOptions: {
      input: mode === "admin" ? "admin.html" : "index.html",
      // Socket.IO's packages do not say so, but what is not used of them does nothing.
      treeshake: { moduleSideEffects: [{ test: /node_modules\/(@socket|socket|engine)\.io/, sideEffects: false }] },
      ...(mode === "admin" ? {} : { output: { codeSplitting: { includeDependenciesRecursively: false, groups } } }),
    },
    emptyOutDir: mode !== "admin",
    modulePreload: {
      polyfill: false, // the polyfill is for browsers without what the panel needs anyway
      // A part names its style sheets only: most of the files that it imports are there already, and their names are not small.
      resolveDependencies: () => [],
    },
    ...(mode === "nui" ? nui : {}),
    ...(mode === "sandbox" ? sandbox : {}),
  },
  ...(mode === "nui" ? { worker: { rolldownOptions: { output: { entryFileNames: (of) => (of.name.startsWith("gate") ? "gate.js" : "worklet.js") } } } } : {}),
  server: {
    proxy: {
      "/admin/api": service,
      "/api": service,
      "/radio": service,
      "/dispatch": service,
      "/socket.io": { target: service, ws: true },
    },
  },
}));
