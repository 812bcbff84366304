// Compiled, never run: what the types refuse. A line that compiles although it should not
// fails the build (TS2578, unused @ts-expect-error).
import type { Link, Squelch } from "@squelch/client";

export async function refusedByTheCompiler(radio: Squelch, link: Link): Promise<void> {
  // @ts-expect-error no such route
  await radio.rest("POST /api/play-tones", { body: { frequency: "154.755", tone: "CHIRP" } });
  // @ts-expect-error the body is missing
  await radio.rest("POST /api/play-tone");
  // @ts-expect-error a field has another name
  await radio.rest("POST /api/play-tone", { body: { frequency: "154.755", tune: "CHIRP" } });
  // @ts-expect-error the route takes no query
  await radio.rest("GET /api/status", { query: { limit: 1 } });
  // @ts-expect-error the query has no such name
  await radio.rest("GET /api/timeline", { query: { most: 1 } });
  // @ts-expect-error the part of the path is missing
  await radio.file("GET /api/recordings/{file}");
  // @ts-expect-error it answers a file
  await radio.rest("GET /metrics");
  // @ts-expect-error the reply has no such field
  (await radio.rest("GET /api/health")).state;
  // @ts-expect-error no such event
  await link.emit("setTalk", true);
  // @ts-expect-error the payload is of another type
  await link.emit("listenToUser", "7");
  // @ts-expect-error the ack carries no emergency
  (await link.emit("setTalking", true)).emergency;
  // @ts-expect-error the payload has no such field
  link.on("talkingState", (t) => t.talking);
}

export async function takenByTheCompiler(radio: Squelch, link: Link): Promise<[string, string, number]> {
  const { status } = await radio.rest("GET /api/health");
  await radio.rest("GET /api/timeline", { query: { kind: "alert", limit: 1 }, timeout: 1_000 });
  await radio.rest("GET /api/timeline");
  const { emergency } = await link.emit("closeEmergency", { id: "1", reason: "handled" });
  await link.emit("setSpeakerChannel", null);
  const { data } = await link.emit("toneFile", { name: "CHIRP" });
  return [status, emergency.name, data.length];
}
