// `node --test-reporter=./node-tests-reporter.mjs node-tests.mjs FILE…` runs files of
// node:test in this one process, so that nothing is left behind when it is killed.
import path from "node:path";
import { pathToFileURL } from "node:url";
import "./until-parent-gone.mjs";

process.stdin.unref();
for (const file of process.argv.slice(2)) await import(pathToFileURL(path.resolve(file)));
