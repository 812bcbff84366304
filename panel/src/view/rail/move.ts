import { mount, unmount } from "svelte";
import type { Ports } from "../../ports";
import Move from "./Move.svelte";

/** Lets the dispatcher choose the channel that a unit is moved to, at the row that it belongs to. */
export function chooseChannel(panel: Ports, unit: number, from: string | null, by: HTMLElement): void {
  const menu = mount(Move, { target: document.body, props: { panel, unit, from, by, onclose: () => void unmount(menu) } });
}
