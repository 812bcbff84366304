// Whether the words of keys fit.

/** The keys whose words leave them, or are cut. A name that is the user's own may end in …: it is not a word of the console. */
export const cut = (page, what) =>
  page.evaluate((what) => {
    const seen = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const onlyHeard = (e) => getComputedStyle(e).clipPath === "inset(50%)";
    const own = "[data-part=name], [data-part=unit], [data-part=zone-tab], [data-part=select]";
    const found = [];
    for (const button of document.querySelectorAll("button")) {
      if (!seen(button) || button.closest(".spoken") || button.matches(own)) continue;
      const box = button.getBoundingClientRect();
      if (box.width === 0) continue;
      const walk = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
      for (let text = walk.nextNode(); text; text = walk.nextNode()) {
        if (!text.data.trim() || !seen(text.parentElement) || onlyHeard(text.parentElement) || text.parentElement.closest(`.spoken, ${own}`)) continue;
        const range = document.createRange();
        range.selectNodeContents(text);
        const r = range.getBoundingClientRect();
        const holder = text.parentElement;
        const clipped = holder !== button && getComputedStyle(holder).overflow !== "visible" && holder.scrollWidth > holder.clientWidth;
        const out = Math.max(box.left - r.left, r.right - box.right, box.top - r.top - 1, r.bottom - box.bottom - 1);
        if (out > 0.5 || clipped) found.push(`${what}: “${text.data.trim()}” in ${button.dataset.part ?? button.className} by ${clipped ? "…" : out.toFixed(1)} (${box.width.toFixed(0)} × ${box.height.toFixed(0)})`);
      }
      const region = button.closest("[data-part=rail], [data-part=ptt-bar], [data-part=status-bar], [data-part=emergency-slot], [data-part=channel-card]")?.getBoundingClientRect();
      if (region && (box.right > region.right + 1 || box.left < region.left - 1)) found.push(`${what}: “${button.textContent.trim()}” stands outside its region`);
      if (button.scrollWidth > button.clientWidth) found.push(`${what}: “${button.textContent.trim()}” ${button.scrollWidth} > ${button.clientWidth}`);
    }
    return [...new Set(found)];
  }, what);
