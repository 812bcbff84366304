// What a side prints. Errors of scripts are kept apart: a test that does not expect any
// looks at them in the end.
export class Console {
  lines = [];
  keep = 5000; // lines, of which the oldest go
  errors = [];

  constructor(name, echo) {
    Object.assign(this, { name, echo });
  }

  print(resource, text) {
    const line = text.replace(/\^\d/g, "").replace(/\n$/, "");
    this.lines.push(`[${resource}] ${line}`);
    if (this.lines.length > this.keep) this.lines.splice(0, 1000);
    if (line.startsWith("SCRIPT ERROR")) this.errors.push(`${this.name} [${resource}] ${line}`);
    if (this.echo) process.stderr.write(`${this.name} [${resource}] ${line}\n`);
  }

  /** has says whether a line matches. */
  has(pattern) {
    return this.lines.some((line) => (pattern instanceof RegExp ? pattern.test(line) : line.includes(pattern)));
  }
}
