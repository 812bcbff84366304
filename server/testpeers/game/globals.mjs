// Every global that a Lua file reads or writes, from the compiler's own output: the
// bytecode of Lua 5.4 names them. No parser of ours has to understand the language.
import { LuaFactory } from "wasmoon";
import { lua, natives, scheduler } from "./declared.mjs";

const factory = new LuaFactory();
const OP = { LOADK: 3, GETUPVAL: 9, GETTABUP: 11, GETTABLE: 12, SETTABUP: 15, SETTABLE: 16 };

/** globalsOf returns [{name, line, written}] of a Lua text. */
export async function globalsOf(text, file) {
  const engine = await factory.createEngine({ injectObjects: false });
  try {
    engine.global.set("text", text.toString("latin1"));
    engine.global.set("file", file);
    const hex = await engine.doString(`
      local f = assert(load(text, '@' .. file, 't'))
      return (string.dump(f):gsub('.', function(c) return ('%02x'):format(c:byte()) end))`);
    return read(Buffer.from(hex, "hex"));
  } finally {
    engine.global.close();
  }
}

function read(code) {
  const header = Buffer.from("\x1bLua\x54\x00\x19\x93\r\n\x1a\n\x04\x08\x08", "latin1");
  if (!code.subarray(0, header.length).equals(header)) throw new Error("this is not the bytecode of Lua 5.4");
  let p = header.length + 8 + 8 + 1; // and a number of each kind, and the count of upvalues
  const byte = () => code[p++];
  const int = () => {
    for (let n = 0; ; ) {
      const b = byte();
      n = n * 128 + (b & 0x7f);
      if (b & 0x80) return n;
    }
  };
  const string = () => {
    const size = int();
    if (size === 0) return null;
    p += size - 1;
    return code.toString("latin1", p - size + 1, p);
  };
  const list = (each) => Array.from({ length: int() }, each);
  const constant = () => {
    switch (byte()) {
      case 3: case 19: p += 8; return undefined; // integer, float
      case 4: case 20: return string();
      default: return undefined; // nil, true, false
    }
  };
  const found = [];
  const func = () => {
    string();
    const first = int();
    int();
    p += 3;
    const instructions = list(() => (p += 4, code.readUInt32LE(p - 4)));
    const constants = list(constant);
    const upvalues = list(() => (p += 3, null)).length;
    list(func);
    const deltas = list(() => (p += 1, code.readInt8(p - 1)));
    const absolute = new Map(list(() => [int(), int()]));
    list(() => (string(), int(), int()));
    const names = list(string);
    if (names.length !== upvalues) throw new Error("the bytecode has no names of upvalues");
    let line = first;
    const lines = deltas.map((delta, pc) => (line = delta === -128 ? absolute.get(pc) : line + delta));
    found.push(...uses(instructions, constants, names, lines));
  };
  func();
  return found;
}

function* uses(instructions, constants, upvalues, lines) {
  const environments = new Set(); // registers that hold _ENV, for keys that fit into no instruction
  const loaded = new Map(); // register -> constant
  for (const [pc, i] of instructions.entries()) {
    const [op, a, b, c] = [i & 0x7f, (i >> 7) & 0xff, (i >> 16) & 0xff, (i >>> 24) & 0xff];
    const line = lines[pc];
    if (op === OP.GETTABUP && upvalues[b] === "_ENV") yield { name: constants[c], line, written: false };
    else if (op === OP.SETTABUP && upvalues[a] === "_ENV") yield { name: constants[b], line, written: true };
    else if (op === OP.GETUPVAL && upvalues[b] === "_ENV") environments.add(a);
    else if (op === OP.LOADK) loaded.set(a, constants[i >>> 15]);
    else if (op === OP.GETTABLE && environments.has(b)) yield { name: loaded.get(c) ?? "_ENV", line, written: false };
    else if (op === OP.SETTABLE && environments.has(a)) yield { name: loaded.get(b) ?? "_ENV", line, written: true };
    else continue;
    if (op === OP.GETTABLE || op === OP.SETTABLE) environments.clear();
  }
}

/**
 * strangers returns what a resource names but its side does not have, as "file:line name".
 * own are the globals that it defines itself, allowed those that it may ask for in vain.
 */
export async function strangers(manifest, side, { own, allowed }) {
  const bad = [];
  for (const file of manifest.scripts(side)) {
    for (const { name, line, written } of await globalsOf(manifest.read(file), file)) {
      const known = own.has(name) || (!written && (lua.has(name) || scheduler[side].has(name) || natives[side].has(name) || allowed.has(name)));
      if (!known) bad.push(`${file}:${line} ${name}${written ? " (written)" : ""}`);
    }
  }
  return bad;
}
