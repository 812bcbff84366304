// A VM from npm: real Lua 5.4 as WebAssembly. Its ordinary conversion of values is not
// used (it makes 463.0 an integer and empties binary strings): raw bytes cross through a
// C function of our own.
import { LuaFactory } from "wasmoon";
import { parts } from "./bios.mjs";

const quote = (text) => `"${[...Buffer.from(text)].map((c) => `\\${String(c).padStart(3, "0")}`).join("")}"`;

export async function openWasmoon({ resource, side, instance, cross: hear }) {
  // One module per VM: they share neither memory nor the stack of C calls.
  const engine = await new LuaFactory().createEngine({ injectObjects: false, enableProxy: false });
  const { address: main, lua } = engine.global;
  const { module } = lua;
  let current = main; // the thread that called the host, so that the host comes back on it

  const push = (L, bytes) => {
    const at = module._malloc(bytes.length + 1);
    module.HEAPU8.set(bytes, at);
    module._lua_pushlstring(L, at, bytes.length);
    module._free(at);
  };
  const lengthAt = module._malloc(4);
  const take = (L, index) => {
    const at = module._lua_tolstring(L, index, lengthAt);
    return Buffer.from(module.HEAPU8.subarray(at, at + module.getValue(lengthAt, "i32")));
  };

  const vm = { kind: "wasmoon" };
  const cross = module.addFunction((L) => {
    const before = current;
    current = L;
    let answer;
    try {
      answer = hear(take(L, 1));
    } catch (failure) {
      if (typeof failure === "number" || failure === Infinity) throw failure; // Lua's own way out
      push(L, Buffer.from(String(failure?.message ?? failure)));
      return lua.lua_error(L);
    } finally {
      current = before;
    }
    push(L, answer);
    return 1;
  }, "ii");
  lua.lua_pushcclosure(main, cross, 0);
  lua.lua_setglobal(main, "__cross");
  const chunks = parts.map(({ name, text }) => `assert(load(${quote(text)}, '@citizen:/${name}.lua'))(bios)`);
  await engine.doString(
    `local bios = { cross = __cross, resource = ${quote(resource)}, side = '${side}', instance = ${instance} }\n${chunks.join("\n")}\n__enter, __cross = bios.enter, nil`,
  );
  // The entry is kept in the registry, out of the scripts' sight.
  lua.lua_getglobal(main, "__enter");
  const entry = lua.luaL_ref(main, -1001000); // LUA_REGISTRYINDEX
  await engine.doString("__enter = nil");

  vm.enter = (bytes) => {
    const L = current;
    const top = lua.lua_gettop(L);
    if (!lua.lua_checkstack(L, 8)) throw new Error(`${resource}: the stack of the VM is full`);
    lua.lua_rawgeti(L, -1001000, BigInt(entry));
    push(L, bytes);
    const status = lua.lua_pcallk(L, 1, 1, 0, 0, null);
    const answer = take(L, -1);
    lua.lua_settop(L, top);
    if (status !== 0) throw new Error(answer.toString());
    return answer;
  };
  vm.bytes = () => module.HEAPU8.length;
  vm.close = () => engine.global.close();
  return vm;
}
