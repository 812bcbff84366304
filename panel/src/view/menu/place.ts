/** Puts a popover below the button that opened it, within the window. */
export function place(popover: HTMLElement, by: HTMLElement): void {
  const at = by.getBoundingClientRect();
  popover.showPopover();
  popover.style.top = `${Math.max(0, Math.min(at.bottom + 2, innerHeight - popover.offsetHeight))}px`;
  popover.style.left = `${Math.max(0, Math.min(at.right, innerWidth) - popover.offsetWidth)}px`;
}
