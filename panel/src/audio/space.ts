// Voices that come from places: what is overheard on the radios of people nearby.

import type { Source } from "./source";
import { toEar, type Ear, type Place } from "./place";

/** A voice is at full level within this distance, in metres: a radio held in the hand. */
const near = 1.5;
/** Time constant of a volume, in seconds: no click. */
const glide = 0.015;
/** The longest time over which a move is spread, in seconds. Scenes come ten times a second; after a pause the voice must not sail across the map. */
const longestMove = 0.35;
/** A place that was not named again for this long is forgotten, ms. */
const stale = 5_000;

interface Spot {
  panner: PannerNode;
  place: Place | null;
  named: number;
  /** The last one that was heard here. */
  source: Source | null;
}

/**
 * Space is a loudspeaker in the world for each talker who is overheard. Where nothing is
 * known of a talker's place yet, the voice comes from straight ahead, a few steps away.
 */
export class Space {
  readonly #out: GainNode;
  readonly #spots = new Map<number, Spot>();
  #ear: Ear = { x: 0, y: 0, z: 0, heading: 0 };
  #moved = 0;

  constructor(readonly context: AudioContext) {
    this.#out = context.createGain();
    this.#out.connect(context.destination);
  }

  /** The volume of all of it, 0..1; 0 with earbuds. */
  setVolume(volume: number): void {
    this.#out.gain.setTargetAtTime(volume ** 2, this.context.currentTime, glide);
  }

  /** join plays a source at its talker's place. */
  join(source: Source, talker: number): void {
    const spot = this.#spot(talker);
    const { panner } = spot;
    spot.source = source;
    source.joined = null;
    if (source.strip === panner) return;
    if (source.strip !== null) source.node.disconnect(source.strip);
    source.node.connect(panner);
    source.strip = panner;
  }

  /** scene says where everybody is now. */
  scene(ear: Ear, places: readonly Place[], now = performance.now()): void {
    const time = Math.min(longestMove, (now - this.#moved) / 1000);
    this.#moved = now;
    this.#ear = ear;
    for (const place of places) {
      const spot = this.#spot(place.id);
      const first = spot.place === null;
      spot.place = place;
      spot.named = now;
      if (first) this.#put(spot, 0);
    }
    for (const [talker, spot] of this.#spots) {
      if (now - spot.named > stale && spot.source?.strip !== spot.panner) {
        spot.panner.disconnect();
        this.#spots.delete(talker);
      } else this.#put(spot, time);
    }
  }

  #spot(talker: number): Spot {
    let spot = this.#spots.get(talker);
    if (spot === undefined) {
      const panner = new PannerNode(this.context, {
        panningModel: "HRTF",
        distanceModel: "inverse",
        refDistance: near,
        rolloffFactor: 1,
        positionZ: -2 * near,
      });
      panner.connect(this.#out);
      spot = { panner, place: null, named: 0, source: null };
      this.#spots.set(talker, spot);
    }
    return spot;
  }

  /** put moves a loudspeaker to its place relative to the ear, within a time in seconds. */
  #put({ panner, place }: Spot, time: number): void {
    if (place === null) return;
    const at = toEar(this.#ear, place);
    const now = this.context.currentTime;
    for (const [param, to] of [[panner.positionX, at.x], [panner.positionY, at.y], [panner.positionZ, at.z]] as const) {
      param.cancelScheduledValues(now);
      param.setValueAtTime(param.value, now);
      if (time > 0) param.linearRampToValueAtTime(to, now + time);
      else param.setValueAtTime(to, now);
    }
  }
}
