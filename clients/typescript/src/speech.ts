/**
 * How long an Opus packet lasts, ms (RFC 6716, section 3.1): 2.5 to 60 ms a frame, and one
 * frame, two, or as many as the second byte says.
 */
export function packetMs(packet: Uint8Array): number {
  const toc = packet[0];
  if (toc === undefined) return 0;
  const config = toc >> 3;
  let frame: number;
  if (config < 12) frame = [10, 20, 40, 60][config & 3]!;
  else if (config < 16) frame = [10, 20][config & 1]!;
  else frame = [2.5, 5, 10, 20][config & 3]!;
  const frames = [1, 2, 2, (packet[1] ?? 0) & 63][toc & 3]!;
  return frame * frames;
}

/** Sends packets as base64 at the pace at which they are spoken, until send returns false. It returns how many it has sent. */
export async function sendSpeech(packets: readonly Uint8Array[], send: (data: string) => boolean): Promise<number> {
  const begun = performance.now();
  let due = 0;
  let sent = 0;
  for (const packet of packets) {
    // Each wait is until the packet's own moment, so that late timers do not add up.
    const wait = begun + due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    if (!send(base64(packet))) return sent;
    sent++;
    due += packetMs(packet);
  }
  // The floor is released when the last packet has been spoken.
  const rest = begun + due - performance.now();
  if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
  return sent;
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (const b of bytes) text += String.fromCharCode(b);
  return btoa(text);
}
