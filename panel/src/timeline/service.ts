// The timeline of a service: its REST routes.
import { Refusal } from "../link/link";
import type { Fetching, RecordingInfo, Span, Timeline, TimelineEntry, TimelinePage, TimelineQuery } from "./api";

/** Most entries of one page, as the service has it. */
const pageLength = 500;
/** Pages that recent may take: 5000 entries are more than a log shows. */
const recentPages = 10;
/** How long sound may take, ms: it may come over a slow link. */
const audioTime = 60_000;
/** How long an export or a listening file may take, ms: it is made while it is sent. */
const exportTime = 30 * 60_000;

/** The names and values of a query, without what is left out. */
export function queryOf(fields: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined && value !== "") query.set(name, String(value));
  const text = query.toString();
  return text && `?${text}`;
}

export class ServiceTimeline implements Timeline {
  /** fetch sends a request with the session's headers, and rejects with a Refusal; signal ends it early. */
  constructor(private readonly fetch: (route: string, body?: undefined, signal?: AbortSignal) => Promise<Response>) {}

  async recent(since: number): Promise<TimelineEntry[]> {
    const all: TimelineEntry[] = [];
    let before: number | undefined;
    for (let n = 0; n < recentPages; n++) {
      const { entries, next } = await this.page({ from: since, limit: pageLength, ...(before === undefined ? {} : { before }) });
      all.push(...entries);
      if (next === null) break;
      before = next;
    }
    return all;
  }

  async page({ kinds, ...q }: TimelineQuery): Promise<TimelinePage> {
    const answer = await this.fetch(`GET /api/timeline${queryOf({ ...q, kind: kinds?.join() })}`);
    return (await answer.json()) as TimelinePage;
  }

  async audio(id: string, format: RecordingInfo["format"] = "ogg"): Promise<ArrayBuffer> {
    return (await this.fetch(`GET /api/recordings/${encodeURIComponent(id)}.${format}`, undefined, AbortSignal.timeout(audioTime))).arrayBuffer();
  }

  async mix(frequency: string, from: number, to: number, pauses: "keep" | "short", f?: Fetching): Promise<Blob> {
    return this.#file(`GET /api/recordings/mix${queryOf({ frequency, from, to, pauses })}`, f);
  }

  async exporting({ from, to, frequencies }: Span, f?: Fetching): Promise<Blob> {
    const query = queryOf({ from, to, frequency: frequencies.join() });
    return this.#file(`GET /api/recordings/export${query}`, f);
  }

  async #file(route: string, { arrived, signal }: Fetching = {}): Promise<Blob> {
    return bodyOf(await this.fetch(route, undefined, within(exportTime, signal)), arrived);
  }
}

/** A signal that comes after so many ms, or with another one. AbortSignal.any is too new. */
function within(time: number, signal?: AbortSignal): AbortSignal {
  const first = new AbortController();
  for (const s of [AbortSignal.timeout(time), signal]) {
    if (s?.aborted) first.abort();
    s?.addEventListener("abort", () => first.abort());
  }
  return first.signal;
}

/** The file of an answer, as it arrives. Rejects with a Refusal if it breaks off. */
async function bodyOf(answer: Response, arrived: NonNullable<Fetching["arrived"]> = () => undefined): Promise<Blob> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = answer.body!.getReader();
  try {
    for (let got = await reader.read(); !got.done; got = await reader.read()) {
      parts.push(got.value);
      arrived((bytes += got.value.length));
    }
  } catch {
    throw new Refusal(0, "unreachable");
  }
  return new Blob(parts, { type: answer.headers.get("Content-Type") ?? "" });
}
