import { t } from "../../i18n/language.svelte";
import { placeOf } from "../../state/place";
import { broadcastTypes, sendBroadcast } from "../broadcast";
import { define } from "../define";
import { followUser, unfollowUser } from "../follow";
import { createPatch, removePatch } from "../patch";
import { open } from "../screen";
import { alertUser, kickUser, setUserCallsign, switchUserChannel } from "../unit";

const unit = { kind: "unit" } as const;
const channel = { kind: "channel" } as const;

/** Units, and what is said to all of them; patches. */
export const units = [
  define({
    id: "unit.open",
    args: { unit },
    run: (p, a) => {
      const at = placeOf(p.store.now.radio, a.unit);
      open(p, "unit", { id: a.unit, ...(at === null ? {} : { frequency: at }) });
    },
  }),
  define({ id: "unit.move", args: { unit, channel }, run: (p, a) => switchUserChannel(p, a.unit, a.channel, placeOf(p.store.now.radio, a.unit)) }),
  define({ id: "unit.follow", args: { unit }, run: (p, a) => followUser(p, a.unit) }),
  define({ id: "unit.unfollow", args: { unit }, run: (p, a) => unfollowUser(p, a.unit) }),
  define({ id: "unit.text", args: { unit, text: { kind: "text", least: 1, most: 500 } }, run: (p, a) => alertUser(p, a.unit, a.text, placeOf(p.store.now.radio, a.unit)) }),
  define({
    id: "unit.callsign",
    args: { unit, callsign: { kind: "text", most: 32 } },
    enabled: (p) => p.store.now.radio.config?.useCallsignSystem === true,
    run: (p, a) => setUserCallsign(p, a.unit, a.callsign),
  }),
  define({ id: "unit.disconnect", args: { unit }, run: (p, a) => kickUser(p, a.unit) }),
  define({ id: "broadcast.open", args: { channel: { ...channel, optional: true } }, run: (p, a) => open(p, "broadcast", about(a.channel)) }),
  define({
    id: "broadcast.send",
    args: {
      text: { kind: "text", least: 1, most: 500 },
      type: { kind: "choice", of: broadcastTypes, optional: true },
      channel: { ...channel, optional: true },
      tone: { kind: "tone", optional: true },
    },
    run: (p, a) => sendBroadcast(p, { message: a.text, type: a.type ?? broadcastTypes[0], frequency: a.channel ?? "", tone: a.tone ?? "" }),
  }),
  define({ id: "patch.open", args: { channel: { ...channel, optional: true } }, run: (p, a) => open(p, "patch", about(a.channel)) }),
  define({
    id: "patch.create",
    args: { channels: { kind: "channel", many: 2 }, label: { kind: "text", most: 64, optional: true } },
    run: (p, a) => p.attempt(t("patch.title"), createPatch(p, a.channels, a.label)),
  }),
  define({ id: "patch.end", args: { patch: { kind: "patch" } }, run: (p, a) => removePatch(p, a.patch) }),
];

const about = (frequency: string | undefined): { frequency?: string } => (frequency === undefined ? {} : { frequency });
