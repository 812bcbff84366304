// Places in the game's world, and where they are for an ear.

/** Metres: x to the east, y to the north, z up. */
export interface Place {
  id: number;
  x: number;
  y: number;
  z: number;
}

/** The place of the own head, and where it looks: degrees from north, against the clock. */
export interface Ear {
  x: number;
  y: number;
  z: number;
  heading: number;
}

/** toEar is a place as Web Audio wants it: x to the right, y up, z backwards. */
export function toEar(ear: Ear, p: Place): { x: number; y: number; z: number } {
  const turn = (ear.heading * Math.PI) / 180;
  const [east, north] = [p.x - ear.x, p.y - ear.y];
  const ahead = north * Math.cos(turn) - east * Math.sin(turn);
  const right = east * Math.cos(turn) + north * Math.sin(turn);
  return { x: right, y: p.z - ear.z, z: -ahead };
}
