// The HTTP client of the game server: eight connections to a host, and an end to every
// request of which neither a byte of the body nor its length has come within five seconds.
import http from "node:http";
import https from "node:https";

export const firstByteWithin = 5000; // milliseconds
export const connectionsPerHost = 8;

const agents = () => {
  const options = { keepAlive: true, maxSockets: connectionsPerHost };
  return { "http:": new http.Agent(options), "https:": new https.Agent({ ...options, rejectUnauthorized: false }) }; // libcurl there verifies nothing
};

export class HttpClient {
  #agents = agents();
  #open = new Set();
  sent = 0;

  /** request resolves with {status, body, headers, failure}; it never rejects. */
  request({ url, method, data, headers }) {
    this.sent++;
    return new Promise((resolve) => {
      let settled = false;
      const done = (answer) => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        this.#open.delete(call);
        resolve(answer);
      };
      const failed = (why) => done({ status: 0, body: null, headers: {}, failure: why });
      const target = URL.canParse(url) ? new URL(url) : undefined;
      let call;
      const timer = setTimeout(() => {
        failed("Operation was aborted by an application callback");
        call?.destroy();
      }, firstByteWithin);
      if (!this.#agents[target?.protocol]) return failed("Unsupported protocol");
      for (const [name, value] of Object.entries(headers)) {
        if (typeof value !== "string") return failed(`header ${name} is not a string`);
      }
      const client = target.protocol === "https:" ? https : http;
      const body = method === "GET" ? undefined : Buffer.from(data);
      call = client.request(target, { method, agent: this.#agents[target.protocol], headers: body ? { ...headers, "Content-Length": String(body.length) } : headers }, (reply) => {
        const parts = [];
        if (reply.headers["content-length"] !== undefined) clearTimeout(timer);
        reply.on("data", (part) => {
          clearTimeout(timer);
          parts.push(part);
        });
        reply.on("error", (failure) => failed(failure.message));
        reply.on("end", () => {
          const text = Buffer.concat(parts);
          const list = Object.fromEntries(Object.entries(reply.headers).map(([name, value]) => [name, String(value)]));
          if (reply.statusCode < 400) done({ status: reply.statusCode, body: text, headers: list, failure: null });
          else done({ status: reply.statusCode, body: null, headers: list, failure: `HTTP ${reply.statusCode}: ${text}` });
        });
      });
      this.#open.add(call);
      call.on("error", (failure) => failed(failure.message));
      call.end(body);
    });
  }

  close() {
    for (const call of this.#open) call.destroy();
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}
