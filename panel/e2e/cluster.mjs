// Three nodes that share a radio, and a TCP balancer in front of them.
import { readFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Service } from "./service.mjs";
import { until } from "./wait.mjs";

/** The secret of the cluster: 32 bytes, as the manual says. */
const secret = "browser-tests-browser-tests-0123456789";

/** Free ports of this machine. */
async function ports(n) {
  const servers = await Promise.all(Array.from({ length: n }, () => new Promise((give) => {
    const s = createServer().listen(0, "127.0.0.1", () => give(s));
  })));
  const found = servers.map((s) => s.address().port);
  await Promise.all(servers.map((s) => new Promise((done) => s.close(done))));
  return found;
}

/** Nodes that end with the test. */
export async function nodes(t, ...names) {
  process.env.SQUELCH_CLUSTER_SECRET = secret;
  const folder = mkdtempSync(join(tmpdir(), "squelch-cluster-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, "config.lua"); // that of all browser tests, and a player may talk as long as it takes
  writeFileSync(config, `${readFileSync(new Service().config)}\nConfig.timeoutTimer = 0\n`);
  const free = await ports(2 * names.length);
  const routes = names.map((_, i) => `127.0.0.1:${free[names.length + i]}`).join(",");
  const all = names.map((name, i) => {
    const url = `http://127.0.0.1:${free[i]}`;
    return Object.assign(new Service(), { name, url, config, more: ["--cluster", "county", "--node", name, "--cluster-listen", `127.0.0.1:${free[names.length + i]}`, "--routes", routes, "--node-url", url] });
  });
  t.after(() => Promise.all(all.map(async (s) => {
    await s.stop("SIGKILL"); // how a whole cluster stops is no matter of this test
    await s.end();
  })));
  await Promise.all(all.map((s) => s.start())); // none can begin without the majority
  for (const s of all) await settled(s);
  return all;
}

/** Waits until a node takes clients. */
export function settled(node) {
  return until(`node ${node.name} is ready`, async () => (await fetch(`${node.url}/readyz`).catch(() => null))?.ok);
}

/** A balancer for TCP: each connection goes to the first node of the list that takes it. */
export async function balancer(t, targets) {
  const open = new Set();
  const server = createServer((client) => {
    const attempt = (i) => {
      if (i === targets.length) return client.destroy();
      const { hostname, port } = new URL(targets[i].url);
      const node = connect(Number(port), hostname);
      node.once("error", () => attempt(i + 1));
      node.once("connect", () => {
        node.removeAllListeners("error");
        for (const [from, to] of [[client, node], [node, client]]) {
          open.add(from);
          from.on("error", () => to.destroy());
          from.on("close", () => (open.delete(from), to.destroy()));
          from.pipe(to);
        }
      });
    };
    attempt(0);
  });
  t.after(() => (server.close(), open.forEach((s) => s.destroy())));
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${server.address().port}` };
}
