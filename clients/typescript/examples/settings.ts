import { parseArgs } from "node:util";

/** A flag of an example: what it is for, and its default. */
export interface Flag {
  help: string;
  value?: string;
}

const common = {
  url: { help: "address of the service, or SQUELCH_URL", value: process.env["SQUELCH_URL"] ?? "http://127.0.0.1:7777" },
  key: { help: "API key, or SQUELCH_KEY", value: process.env["SQUELCH_KEY"] ?? "" },
} satisfies Record<string, Flag>;

/** Reads the flags of an example. --help prints them and ends the program; a flag that is unknown or needed ends it with status 2. */
export function settings<F extends Record<string, Flag>>(about: string, flags: F): Record<keyof F | keyof typeof common, string> {
  const all: Record<string, Flag> = { ...common, ...flags };
  const options: Record<string, { type: "string" } | { type: "boolean" }> = { help: { type: "boolean" } };
  for (const name of Object.keys(all)) options[name] = { type: "string" };
  let given: Record<string, unknown>;
  try {
    given = parseArgs({ options }).values;
  } catch (e) {
    return end(`${(e as Error).message}\n${usage(about, all)}`);
  }
  if (given["help"]) {
    console.log(usage(about, all));
    process.exit(0);
  }
  const out: Record<string, string> = {};
  for (const [name, flag] of Object.entries(all)) {
    const value = given[name] ?? flag.value;
    if (typeof value !== "string" || (name === "key" && !value)) return end(`--${name} is missing: ${flag.help}\n${usage(about, all)}`);
    out[name] = value;
  }
  return out as Record<keyof F | keyof typeof common, string>;
}

function usage(about: string, flags: Record<string, Flag>): string {
  const rows = Object.entries(flags).map(([name, f]) => {
    const byDefault = f.value && name !== "key" ? ` (default ${f.value})` : "";
    return `  --${name.padEnd(10)} ${f.help}${byDefault}`;
  });
  return `${about}\n\n${rows.join("\n")}`;
}

function end(text: string): never {
  console.error(text);
  process.exit(2);
}
