// Checks parsed JSON. Every fault is an Error that names its field, such as
// "steps[3].for: must be a number of seconds above 0".

/** Throws if the value of a field is not valid. */
export type Check = (value: unknown, field: string) => void;

/** The fields that an object may have. Any other is a fault, because it would be ignored. */
export type Shape = Record<string, Check | { optional: Check }>;

export function fault(field: string, says: string): Error {
  return new Error(`${field}: ${says}`);
}

export const optional = (check: Check): { optional: Check } => ({ optional: check });

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function object(shape: Shape): Check {
  return (value, field) => {
    if (!isObject(value)) throw fault(field, "must be an object");
    const at = (key: string): string => (field === "" ? key : `${field}.${key}`);
    for (const key of Object.keys(value)) if (!Object.hasOwn(shape, key)) throw fault(at(key), `unknown field; known fields are ${Object.keys(shape).join(", ")}`);
    for (const [key, check] of Object.entries(shape)) {
      if (value[key] !== undefined) (typeof check === "function" ? check : check.optional)(value[key], at(key));
      else if (typeof check === "function") throw fault(at(key), "is missing");
    }
  };
}

export function list(item: Check, least: number, most: number): Check {
  return (value, field) => {
    if (!Array.isArray(value)) throw fault(field, "must be a list");
    if (value.length < least) throw fault(field, `must have at least ${least} ${least === 1 ? "entry" : "entries"}`);
    if (value.length > most) throw fault(field, `must have at most ${most} entries`);
    value.forEach((v, i) => item(v, `${field}[${i}]`));
  };
}

export function text(most: number): Check {
  return (value, field) => {
    if (typeof value !== "string" || value.trim() === "") throw fault(field, "must be a non-empty string");
    if (value.length > most) throw fault(field, `must have at most ${most} characters`);
  };
}

export function oneOf(...words: string[]): Check {
  return (value, field) => {
    if (typeof value !== "string" || !words.includes(value)) throw fault(field, `must be ${words.join(" or ")}`);
  };
}

export const flag: Check = (value, field) => {
  if (typeof value !== "boolean") throw fault(field, "must be true or false");
};

export function number(least: number, most: number, what = "a number"): Check {
  return (value, field) => {
    if (typeof value !== "number" || !(value >= least && value <= most)) throw fault(field, `must be ${what} from ${least} to ${most}`);
  };
}

export function whole(least: number, most: number): Check {
  const range = number(least, most, "a whole number");
  return (value, field) => {
    range(value, field);
    if (!Number.isInteger(value)) throw fault(field, `must be a whole number from ${least} to ${most}`);
  };
}

/** A span of time, in seconds. */
export function span(most: number): Check {
  return (value, field) => {
    if (typeof value !== "number" || !(value > 0)) throw fault(field, "must be a number of seconds above 0");
    if (value > most) throw fault(field, `must be at most ${most} seconds`);
  };
}

/** [shortest, longest], in seconds. */
export function spans(most: number): Check {
  return (value, field) => {
    list(span(most), 2, 2)(value, field);
    const [a, b] = value as [number, number];
    if (a > b) throw fault(field, "must be [shortest, longest]");
  };
}
