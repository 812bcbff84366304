import { recall, recallTimes } from "../../action/recall";
import "../../i18n/dialog";
import { t } from "../../i18n/language.svelte";
import type { Ports } from "../../ports";
import { channelName } from "../../state/radio";
import { openMenu } from "../menu/menu";

/** Opens a channel's choice of how much to recall, at the button that it belongs to. */
export function openRecallMenu(panel: Ports, channel: string, by: HTMLElement): void {
  const name = channelName(panel.store.now.radio, channel);
  openMenu(by, t("recall.menu", { channel: name }), recallTimes.map((n) => ({ label: t("recall.last", { n }), run: () => recall(panel, channel, n) })));
}
