// Results of node:test for Go: a line "begun", then one of JSON for each test.
export default async function* report(events) {
  yield "begun\n";
  for await (const { type, data } of events) {
    if ((type !== "test:pass" && type !== "test:fail") || data.nesting > 0) continue;
    const error = data.details.error?.cause ?? data.details.error;
    const ok = type === "test:pass" && data.skip === undefined && data.todo === undefined;
    yield `${JSON.stringify({ name: data.name, ok, error: ok ? "" : String(error?.stack ?? error?.message ?? "skipped") })}\n`;
  }
  yield `${JSON.stringify({ name: "", ok: true, error: "" })}\n`;
}
