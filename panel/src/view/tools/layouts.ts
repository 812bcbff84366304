import { mount, unmount } from "svelte";
import type { Ports } from "../../ports";
import Layouts from "./Layouts.svelte";

/** Opens the layouts below the button that they belong to. */
export function openLayouts(panel: Ports, by: HTMLElement): void {
  const menu = mount(Layouts, { target: document.body, props: { panel, by, onclose: () => void unmount(menu) } });
}
