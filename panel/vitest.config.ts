import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// testTimeout, ms: nothing takes that long on the slowest machine; what does hangs.
export default defineConfig({
  plugins: [svelte()], // the store is written in runes
  test: { include: ["src/**/*.test.ts"], environment: "node", testTimeout: 120_000, hookTimeout: 120_000 },
});
