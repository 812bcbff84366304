import { mount, unmount } from "svelte";
import type { Panel } from "../../panel";
import Menu from "./Menu.svelte";

/** Opens a channel's choice of how much to recall, at the button that it belongs to. */
export function openMenu(panel: Panel, channel: string, by: HTMLElement): void {
  const menu = mount(Menu, { target: document.body, props: { panel, channel, by, onclose: () => void unmount(menu) } });
}
