"use strict";
const find = document.getElementById("find");
const entries = [...document.querySelectorAll("details")].map((e) => ({ e, text: e.textContent.toLowerCase() }));
function filter() {
  const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  let n = 0;
  for (const { e, text } of entries) {
    e.hidden = !words.every((w) => text.includes(w));
    if (!e.hidden) n++;
  }
  for (const s of document.querySelectorAll("main section section")) s.hidden = s.querySelector("details:not([hidden])") === null;
  document.getElementById("found").textContent = words.length === 0 ? "" : `${n} of ${entries.length}`;
}
find.addEventListener("input", filter);
function open() {
  const e = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (e instanceof HTMLDetailsElement) e.open = true;
}
addEventListener("hashchange", open);
open();
filter();
