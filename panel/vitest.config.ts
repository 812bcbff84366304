import { defineConfig } from "vitest/config";

// testTimeout, ms: nothing takes that long on the slowest machine; what does hangs.
export default defineConfig({ test: { include: ["src/**/*.test.ts"], environment: "node", testTimeout: 120_000, hookTimeout: 120_000 } });
