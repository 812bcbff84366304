import { mount, unmount } from "svelte";
import type { Item } from "./item";
import Menu from "./Menu.svelte";

/** Opens a menu below the button that it belongs to, inside the same landmark. */
export function openMenu(by: HTMLElement, label: string, items: Item[]): void {
  const target = by.closest("header, main, nav, aside, footer, section") ?? document.body;
  const menu = mount(Menu, { target, props: { by, label, items, onclose: () => void unmount(menu) } });
}
