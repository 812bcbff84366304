import { closeReasons, openEmergencies } from "../../state/emergency";
import { placeOf } from "../../state/place";
import { define } from "../define";
import { acknowledgeEmergency, acknowledgeNext, answerEmergency, answerNext, askClose, closeEmergency, listEmergencies, restoreTargets } from "../emergency";
import { setPanic } from "../panic";

const emergency = { kind: "emergency" } as const;
const some = { ...emergency, optional: true } as const;

/** Without an emergency, answering and acknowledging take the oldest that nobody has acknowledged. */
export const emergencies = [
  define({ id: "emergency.answer", args: { emergency: some }, run: (p, a) => (a.emergency === undefined ? answerNext(p) : answerEmergency(p, a.emergency)) }),
  define({
    id: "emergency.acknowledge",
    args: { emergency: some },
    run: (p, a) => (a.emergency === undefined ? acknowledgeNext(p) : acknowledgeEmergency(p, a.emergency)),
  }),
  define({ id: "emergency.list", args: {}, enabled: (p) => openEmergencies(p.store.now.radio).length > 0, run: listEmergencies }),
  define({ id: "emergency.ask-close", args: { emergency }, run: (p, a) => askClose(p, a.emergency) }),
  define({
    id: "emergency.close",
    args: { emergency, reason: { kind: "choice", of: closeReasons }, note: { kind: "text", most: 500, optional: true } },
    run: (p, a) => closeEmergency(p, a.emergency, a.reason, a.note),
  }),
  define({ id: "emergency.restore", args: {}, enabled: (p) => p.store.now.desk.restore !== null, run: restoreTargets }),
  define({
    id: "unit.panic",
    args: { unit: { kind: "unit" } },
    enabled: (p, a) => placeOf(p.store.now.radio, a.unit) !== null,
    run: (p, a) => {
      const at = placeOf(p.store.now.radio, a.unit);
      return at !== null && setPanic(p, a.unit, at, true);
    },
  }),
];
