/**
 * Marks an element whose text does not fit, so that the style can make it smaller
 * before it is cut. It looks when the text changes and when the room does.
 */
export function fit(element: HTMLElement, _text: string): { update(text: string): void; destroy(): void } {
  const look = (): void => {
    delete element.dataset["tight"];
    if (element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight + 1) element.dataset["tight"] = "";
  };
  const room = new ResizeObserver(look); // also looks once at the beginning
  room.observe(element.parentElement ?? element);
  return { update: look, destroy: () => room.disconnect() };
}
