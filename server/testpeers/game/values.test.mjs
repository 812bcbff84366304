// What a value is after it has crossed a border.
import assert from "node:assert/strict";
import { rule } from "./fixture.mjs";

const echo = "exports('echo', function(...) return ... end)\nexports('count', function(...) return select('#', ...) end)\n";

/** said runs a body of Lua beside a resource `echo`; `say` prints, `echo` crosses and comes back. */
async function said(yard, body) {
  await yard.started("echo", { "server.lua": echo });
  await yard.started("asker", {
    "server.lua": `local function echo(...) return exports.echo:echo(...) end\nlocal function count(...) return exports.echo:count(...) end\n
      local function say(...) print(...) end\n${body}`,
  });
  assert.deepEqual(yard.errors, []);
  return yard.printed("asker").map((line) => line.replaceAll("\t", " "));
}

rule("integers stay integers and floats stay floats", async (yard) => {
  assert.deepEqual(await said(yard, `
    for _, n in ipairs { 463, 463.0, 460.25, -1, -33, -129, -40000, -3000000000, 127, 128, 256, 70000, 5000000000, math.maxinteger, math.mininteger, 2^53, 1/0 } do
      say(n, math.type(echo(n)), echo(n) == n)
    end`), ["463 integer true", "463.0 float true", "460.25 float true", "-1 integer true", "-33 integer true", "-129 integer true", "-40000 integer true",
    "-3000000000 integer true", "127 integer true", "128 integer true", "256 integer true", "70000 integer true", "5000000000 integer true",
    "9223372036854775807 integer true", "-9223372036854775808 integer true", "9.007199254741e+15 float true", "inf float true"]);
});

rule("a float as a key of a table becomes an integer", async (yard) => {
  assert.deepEqual(await said(yard, `local k, v = next(echo { [463.0] = 1.0 }) say(math.type(k), math.type(v))`), ["integer float"]);
});

rule("text is bytes", async (yard) => {
  assert.deepEqual(await said(yard, `
    local bytes = '' for i = 0, 255 do bytes = bytes .. string.char(i) end
    for _, n in ipairs { 0, 31, 32, 255, 256, 65535, 65536 } do local s = bytes:rep(n // 256 + 1):sub(1, n) say(#s, echo(s) == s) end`),
  ["0 true", "31 true", "32 true", "255 true", "256 true", "65535 true", "65536 true"]);
});

rule("a table with a hole travels as a map, an empty one as an array", async (yard) => {
  assert.deepEqual(await said(yard, `
    local function head(v) local b = msgpack.pack(v):byte() return b >= 0x90 and b < 0xa0 and 'array' or b < 0x90 and b >= 0x80 and 'map' or b end
    say(head({ 1, nil, 3 }), head({}), head({ 1, 2, 3 }), head({ a = 1 }), head({ [0] = 1 }))
    local t = echo { 1, nil, 3 } say(t[1], t[2], t[3])`), ["map array array map map", "1 nil 3"]);
});

rule("arguments keep a nil in the middle and lose the last ones", async (yard) => {
  assert.deepEqual(await said(yard, `say(count('f', nil, 'X')) say(count('f', nil)) say(count(nil, nil)) say(count(nil, 'x')) say(count()) say(count(1, nil, nil, 4, nil))`),
    ["3", "1", "0", "2", "0", "4"]);
});

rule("results lose what follows a nil", async (yard) => {
  await yard.started("echo", { "server.lua": "exports('why', function() return nil, 'why' end)\nexports('hole', function() return 'a', nil, 'b' end)\nexports('pair', function() return 'a', 'b' end)" });
  await yard.started("asker", { "server.lua": "print(select('#', exports.echo:why()), select('#', exports.echo:hole()), select('#', exports.echo:pair()))" });
  assert.deepEqual(yard.printed("asker"), ["0\t1\t2"]);
});

rule("arguments are copies", async (yard) => {
  await yard.started("echo", { "server.lua": "exports('change', function(t) t.x = 2 return t end)" });
  await yard.started("asker", { "server.lua": "local t = { x = 1 } local u = exports.echo:change(t) print(t.x, u.x)" });
  assert.deepEqual(yard.printed("asker"), ["1\t2"]);
});

rule("a thread or a file cannot cross", async (yard) => {
  assert.deepEqual(await said(yard, `print(pcall(msgpack.pack, coroutine.create(print)))`), ["false pack 'thread' is unimplemented"]);
});

rule("vectors cross and know their length", async (yard) => {
  assert.deepEqual(await said(yard, `local v = echo(vector3(3, 4, 0)) say(type(v), #v, v.x, v == vec3(3.0, 4.0, 0.0), #(v - vector3(3, 0, 0)), type({}))`), ["vector3 5.0 3.0 true 4.0 table"]);
});

rule("JSON has the game's habits", async (yard) => {
  assert.deepEqual(await said(yard, `
    say(json.encode(463.0), json.encode(463), json.encode(460.25), json.encode(0.1), json.encode(1e21), json.encode(1 / 0))
    say(json.encode {}, json.encode { a = {} }, json.encode { 1, nil, 3 }, json.encode('a"\\\\\\n\\1é'), json.encode(nil))
    say(json.encode { [3] = true })
    say(math.type(json.decode('463.0')), math.type(json.decode('463')), math.type(json.decode('1e2')), json.decode('null'), json.decode(' "\\\\u00e9\\\\ud83d\\\\ude00\\\\/" '))
    local t = json.decode('{"a":[1,null,3],"b":{"c":"\\\\\\\\"},"d":""}') say(t.a[3], t.a[2], t.b.c, t.d == '')
    for _, bad in ipairs { '', '{', '[1,', '{"a":}', '"open', 'nope', '1 2', '[1 2]', '{a:1}', '01', '"\\\\x"' } do say(json.decode(bad)) end`),
  ["463.0 463 460.25 0.1 1e21 Infinity", '[] {"a":[]} [1,null,3] "a\\"\\\\\\n\\u0001é" null', "[null,null,true]", "float integer float nil é😀/", "3 nil \\ true",
    ...Array(11).fill("nil")]);
});
