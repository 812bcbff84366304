import { t } from "../i18n/language.svelte";
import type { Ports } from "../ports";

/** How long until what did not come is fetched again, ms. */
const again = 5_000;

/**
 * Puts the keys of the console to work. They are fetched once the console is drawn:
 * it does not wait for them.
 */
export function startKeyboard(p: Ports): () => void {
  let over = false;
  // An emergency that is answered this early is answered: those keys wait for what they do.
  const early: KeyboardEvent[] = [];
  const wait = (e: KeyboardEvent): void => {
    if (/^F[689]$/.test(e.key) && !e.repeat && !e.ctrlKey && !e.altKey && !e.metaKey) {
      e.preventDefault();
      early.push(e);
    }
  };
  addEventListener("keydown", wait);
  let end: () => void = () => undefined;
  let told = false;
  const fetch = (): void => {
    if (over) return;
    import("./keyboard").then(
      ({ listen }) => {
        removeEventListener("keydown", wait);
        if (over) return;
        end = listen(p);
        for (const { key, code, shiftKey, timeStamp } of early) {
          if (performance.now() - timeStamp < again) document.body.dispatchEvent(new KeyboardEvent("keydown", { key, code, shiftKey, bubbles: true, cancelable: true }));
        }
      },
      () => {
        if (!told) p.fault(t("unloaded.title"), t("unloaded.part"));
        told = true;
        setTimeout(fetch, again);
      },
    );
  };
  fetch();
  return () => {
    over = true;
    removeEventListener("keydown", wait);
    end();
  };
}
