import type { Plugin } from "vite";
export function packageOf(id: string): string | undefined;
export function parts(build: string): Plugin;
