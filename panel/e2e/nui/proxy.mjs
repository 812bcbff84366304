// TLS in front of a service, as an operator's proxy: it takes away the encryption and
// passes on everything else.
import { connect } from "node:net";
import { createServer } from "node:tls";
import { certificate } from "./certificate.mjs";

/** proxy returns the https address under a name that leads to this machine. */
export async function proxy(t, name, target) {
  const { hostname, port } = new URL(target);
  const open = new Set();
  const server = createServer(certificate(name), (from) => {
    const to = connect(Number(port), hostname);
    for (const [a, b] of [[from, to], [to, from]]) {
      open.add(a);
      a.on("error", () => b.destroy()).on("close", () => (open.delete(a), b.destroy()));
      a.pipe(b);
    }
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  t.after(() => {
    for (const s of open) s.destroy();
    server.close();
  });
  return `https://${name}:${server.address().port}`;
}
