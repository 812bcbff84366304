// As much of a page as a theme's API touches.

import { vi } from "vitest";
import type { ThemeDom } from "./api";

export interface TestDom extends ThemeDom {
  readonly variables: Map<string, string>;
  readonly classes: Set<string>;
  readonly attributes: Map<string, string>;
  /** The containers that were made, and whether each is still in its place. */
  readonly boxes: { emptied: boolean; there: boolean }[];
}

export function testDom(): TestDom {
  const variables = new Map<string, string>();
  const classes = new Set<string>();
  const attributes = new Map<string, string>();
  const boxes: TestDom["boxes"] = [];
  const root = {
    style: {
      getPropertyValue: (n: string) => variables.get(n) ?? "",
      setProperty: (n: string, v: string) => void variables.set(n, v),
      removeProperty: (n: string) => void variables.delete(n),
    },
    classList: { add: (c: string) => void classes.add(c), remove: (c: string) => void classes.delete(c), contains: (c: string) => classes.has(c) },
    setAttribute: (n: string, v: string) => void attributes.set(n, v),
    removeAttribute: (n: string) => void attributes.delete(n),
    ownerDocument: { createElement: vi.fn(() => ({})) },
  } as unknown as HTMLElement;
  return {
    root, variables, classes, attributes, boxes,
    container: () => {
      const box = { emptied: false, there: true };
      boxes.push(box);
      return { replaceChildren: () => (box.emptied = true), remove: () => (box.there = false) } as unknown as HTMLElement;
    },
  };
}
