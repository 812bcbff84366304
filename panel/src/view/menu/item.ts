/** A line of a menu. */
export interface Item {
  label: string;
  /** The line that holds now; undefined: the lines are not a choice. */
  on?: boolean;
  /** Somebody talks there; so many emergencies are open there. */
  heard?: boolean;
  emergencies?: number;
  run: () => void;
}
