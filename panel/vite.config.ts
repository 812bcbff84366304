import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig, type UserConfig } from "vite";

// In development the service runs beside Vite: just run, then npm run dev.
const service = process.env["SQUELCH_URL"] ?? "http://127.0.0.1:7777";

/** The page in the game: few files, of fixed names, for the game's browser, Chromium 103. */
const nui: UserConfig["build"] = {
  target: "chrome103",
  outDir: "dist-nui",
  assetsDir: "",
  copyPublicDir: false,
  rolldownOptions: { input: "nui.html", output: { entryFileNames: "app.js", assetFileNames: "[name][extname]", codeSplitting: false } },
};

export default defineConfig(({ mode }) => ({
  plugins: [svelte()],
  base: mode === "nui" ? "./" : "/",
  build: {
    target: "es2022",
    assetsInlineLimit: 0, // data: URLs would need a wider content security policy
    // The administration is a page of its own, built by itself ("--mode admin"):
    // together both would share one Svelte, with all that only one of them uses.
    rolldownOptions: { input: mode === "admin" ? "admin.html" : "index.html" },
    emptyOutDir: mode !== "admin",
    modulePreload: { polyfill: false }, // the polyfill is for browsers without what the panel needs anyway
    ...(mode === "nui" ? nui : {}),
  },
  ...(mode === "nui" ? { worker: { rolldownOptions: { output: { entryFileNames: "worklet.js" } } } } : {}),
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
