import type { Ports } from "../ports";
import { type Desk, heard } from "../state/desk";
import { keying } from "../state/pttbar";

/** Changes what the desk hears and speaks on, and tells the radio the difference. */
export function retune(p: Ports, change: (desk: Desk) => Desk): void {
  const before = p.store.now.desk;
  p.store.change((s) => {
    const desk = change(s.desk);
    return desk === s.desk ? s : { ...s, desk };
  });
  const after = p.store.now.desk;
  if (after.joined !== before.joined) speak(p);
  const [then, now] = [heard(before), heard(after)];
  for (const f of now) if (!then.includes(f)) p.link.tell("addListeningChannel", f);
  for (const f of then) if (!now.includes(f) && f !== after.joined) p.link.tell("removeListeningChannel", f);
}

/** Moves the console to its speaker channel. That ends what it says on the one before, so it waits until nothing is keyed. */
function speak(p: Ports): void {
  if (!keying(p.store.now)) {
    p.link.tell("setSpeakerChannel", p.store.now.desk.joined as string); // null leaves; the wire's type has only channels
    return;
  }
  const { joined } = p.store.now.desk;
  const end = p.store.watch((s) => {
    if (keying(s)) return;
    end();
    if (s.desk.joined !== joined) return; // a later move tells
    speak(p);
    // Leaving the one before has ended the listening on it.
    for (const f of heard(s.desk)) p.link.tell("addListeningChannel", f);
  });
}
