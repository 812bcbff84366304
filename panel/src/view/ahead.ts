// Fetches the parts that an open console shows first, in the pauses while the dispatcher
// still types the access code: the console is then drawn in one go. The keys come first,
// so that a console that can be seen can be operated. A part that does not come is
// asked for again, and reported, where it is shown.
const parts = [
  () => import("../keyboard/keyboard"),
  () => import("./Announcer.svelte"), // brings the themes: what they change should not be seen unchanged first
  () => import("./first/FirstRun.svelte"),
  () => import("./first/First.svelte"),
  () => import("./status/StatusBar.svelte"),
  () => import("./tools/Tools.svelte"),
  () => import("./rail/Rail.svelte"),
  () => import("./Notices.svelte"),
  () => import("./lane/List.svelte"),
  () => import("./MoreIcons.svelte"),
  () => import("../i18n/later"),
];
// Safari has no requestIdleCallback.
const pause = globalThis.requestIdleCallback ?? ((next: () => void) => setTimeout(next, 20));
const fetchNext = (): void => {
  parts.shift()?.().catch(() => undefined).then(() => pause(fetchNext));
};
fetchNext(); // the keys,
fetchNext(); // and beside them the themes
export {};
