// Reads the OpenAPI and AsyncAPI documents with the tools that their users have: redocly,
// spectral and the AsyncAPI parser. No error and no warning is allowed. That the tools see
// mistakes is tried first, on copies with mistakes in them.
import { Parser } from "@asyncapi/parser";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "squelch-lint-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const bin = (name) => join(here, "node_modules", ".bin", name);
let failed = false;

/** What a command says, if it finds anything. */
function said(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd: here, encoding: "utf8", timeout: 120_000, env: { ...process.env, NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" } });
  if (error) throw error;
  return status === 0 ? "" : `${stdout}${stderr}`;
}
const redocly = (file) => said(bin("redocly"), ["lint", "--config", "redocly.yaml", file]);
const spectral = (file) => said(bin("spectral"), ["lint", "--fail-severity", "hint", "--ruleset", ".spectral.yaml", file]);
const reader = new Parser();
async function asyncapi(file) {
  const { document, diagnostics } = await reader.parse(readFileSync(file, "utf8"));
  if (document === undefined && diagnostics.length === 0) return "not an AsyncAPI document";
  return diagnostics.map((d) => `${d.code} at ${d.path.join(".")}: ${d.message}`).join("\n");
}

const documents = {
  openapi: {
    file: join(here, "../openapi.gen.json"),
    tools: { redocly, spectral },
    spoil(d) {
      const health = d.paths["/api/health"].get;
      delete health.operationId;
      health.responses["200"].content["application/json"].example = { status: 7 };
      health.tags = ["no such tag"];
    },
  },
  asyncapi: {
    file: join(here, "../asyncapi.gen.json"),
    tools: { spectral, asyncapi },
    spoil(d) {
      const event = d.components.messages.client_setTalking;
      event.examples = "none";
      event.payload = { $ref: "#/components/schemas/NoSuchShape" };
    },
  },
};
for (const [name, { file, tools, spoil }] of Object.entries(documents)) {
  const spoiled = JSON.parse(readFileSync(file, "utf8"));
  spoil(spoiled);
  const copy = join(folder, `${name}.json`);
  writeFileSync(copy, JSON.stringify(spoiled, undefined, 2));
  for (const [tool, check] of Object.entries(tools)) {
    const found = await check(file);
    const sees = (await check(copy)) !== "";
    if (found !== "" || !sees) failed = true;
    console.log(`${found === "" && sees ? "✔" : "✖"} ${tool} ${name}`);
    if (found !== "") console.log(found);
    if (!sees) console.log("it does not see the mistakes of a copy with mistakes");
  }
}
process.exit(failed ? 1 : 0);
