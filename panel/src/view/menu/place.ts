/** Puts a popover below the button that opened it, or above where there is no room: never over it, unless the window is too low. */
export function place(popover: HTMLElement, by: HTMLElement): void {
  const at = by.getBoundingClientRect();
  popover.showPopover();
  const [below, above] = [at.bottom + 2, at.top - 2 - popover.offsetHeight];
  const lowest = innerHeight - popover.offsetHeight;
  popover.style.top = `${Math.max(0, below <= lowest ? below : above >= 0 ? above : lowest)}px`;
  popover.style.left = `${Math.max(0, Math.min(at.right, innerWidth) - popover.offsetWidth)}px`;
}
