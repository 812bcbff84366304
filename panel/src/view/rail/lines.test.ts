import { describe, expect, it } from "vitest";
import "../../i18n/later";
import { emptyRadio, type Radio, type Transmission } from "../../state/radio";
import type { RecordingInfo } from "../../wire.gen";
import { type Line, Lines } from "./lines";

const recording: RecordingInfo = { format: "ogg", imbe: false, bytes: 900, durationMs: 4_000, packets: 200, lost: 0, peaks: [], cut: false };
const said: Transmission = { id: "t-1", told: "tx-1-60000", serverId: 7, name: "Ana", unitId: null, frequency: "154.755", encoding: "opus", startedAt: 60_000, endedAt: 62_000, durationMs: 2_000 };
const lineOf = (more: Partial<Transmission>): Line => {
  const radio: Radio = { ...emptyRadio, log: [{ ...said, ...more }] };
  return new Lines().of(radio, 1, "en")[0]!;
};

describe("a line of the log", () => {
  it("has a recording only if the timeline says so of this transmission", () => {
    expect(lineOf({}).replay?.recording).toBeUndefined();
    expect(lineOf({ recording }).replay?.recording).toBe(recording);
  });
  it("whose end is missing is cut off, and as long as its recording", () => {
    expect(lineOf({ recording })).toMatchObject({ cut: false, took: 2_000 });
    expect(lineOf({ recording, cut: true, endedAt: 60_000, durationMs: 0 })).toMatchObject({ cut: true, took: 4_000 });
    expect(lineOf({ recording: { ...recording, cut: true } })).toMatchObject({ cut: true, took: 4_000 });
    expect(lineOf({ cut: true, durationMs: 0 })).toMatchObject({ cut: true, took: 0 });
  });
});
