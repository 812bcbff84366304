// A VM in a process of its own: Debian's lua5.4, spoken to over two named pipes with
// blocking reads, since a call of the game is synchronous.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { folder, parts } from "./bios.mjs";
import { Watchdog } from "./watchdog.mjs";

const CALL = 0x43, ANSWER = 0x52, ERROR = 0x45;
const child = path.join(path.dirname(fileURLToPath(import.meta.url)), "child.lua");
const watchdog = new Watchdog();

export async function openPipe({ resource, side, instance, cross, program = "lua5.4", patience = 20_000 }) {
  const at = fs.mkdtempSync(path.join(os.tmpdir(), "vm-"));
  const [inbound, outbound] = [path.join(at, "in"), path.join(at, "out")];
  execFileSync("mkfifo", [inbound, outbound]);
  const args = [child, folder, resource, side, String(instance), parts.map(({ name }) => name).join(",")];
  const running = spawn("sh", ["-c", 'in="$1" out="$2" program="$3"; shift 3; exec "$program" "$@" <"$in" >"$out"', "sh", inbound, outbound, program, ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  // Both ends are open when these return: the shell opens them in the same order.
  const write = fs.openSync(inbound, "w");
  const read = fs.openSync(outbound, "r");
  fs.rmSync(at, { recursive: true });

  const exactly = (n) => {
    const b = Buffer.allocUnsafe(n);
    for (let k = 0; k < n; ) {
      const got = fs.readSync(read, b, k, n - k);
      if (got === 0) throw new Error(`the VM of ${resource} (${side}) has ended`);
      k += got;
    }
    return b;
  };
  const send = (kind, bytes) => {
    const frame = Buffer.allocUnsafe(5 + bytes.length);
    frame.writeUInt32LE(bytes.length + 1);
    frame[4] = kind;
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).copy(frame, 5);
    for (let k = 0; k < frame.length; ) k += fs.writeSync(write, frame, k);
  };

  // answered carries what the VM asks for until it answers.
  const answered = () => {
    const leave = watchdog.enter(running.pid, patience);
    try {
      for (;;) {
        const frame = exactly(exactly(4).readUInt32LE());
        const body = frame.subarray(1);
        if (frame[0] === ANSWER) return body;
        if (frame[0] === ERROR) throw new Error(body.toString());
        let answer;
        try {
          answer = cross(body);
        } catch (failure) {
          send(ERROR, Buffer.from(String(failure?.message ?? failure)));
          continue;
        }
        send(ANSWER, answer);
      }
    } finally {
      leave();
    }
  };
  answered(); // it has loaded the runtime
  const vm = { kind: program, pid: running.pid };
  vm.enter = (bytes) => {
    send(CALL, bytes);
    return answered();
  };
  vm.bytes = () => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${running.pid}/status`, "utf8"))[1]) * 1024;
  vm.close = () => {
    fs.closeSync(write);
    fs.closeSync(read);
    running.kill("SIGKILL");
  };
  return vm;
}
