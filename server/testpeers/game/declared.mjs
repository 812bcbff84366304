// Which names a side of the game has: those of the type packages that Cfx publishes, and
// those that its own scheduler defines, which no list of natives contains.
import fs from "node:fs";
import { createRequire } from "node:module";

const resolve = createRequire(import.meta.url).resolve;
const names = (file) => new Set([...fs.readFileSync(resolve(file), "utf8").matchAll(/declare function (\w+)/g)].map((found) => found[1]));

/** Natives by side. */
export const natives = {
  server: names("@citizenfx/server/natives_server.d.ts"),
  client: names("@citizenfx/client/natives_universal.d.ts"),
};

const both = [
  "AddEventHandler", "RemoveEventHandler", "RegisterNetEvent", "TriggerEvent", "exports", "Citizen", "Wait", "CreateThread", "SetTimeout", "ClearTimeout",
  "promise", "json", "msgpack", "source", "vector2", "vector3", "vector4", "vec2", "vec3", "vec4", "joaat",
  "GlobalState", "Player", "Entity",
];

/** What the game's scheduler defines, by side. */
export const scheduler = {
  server: new Set([...both, "RegisterServerEvent", "TriggerClientEvent", "TriggerLatentClientEvent", "GetPlayers", "GetPlayerIdentifiers", "GetPlayerTokens", "PerformHttpRequest", "PerformHttpRequestAwait"]),
  client: new Set([...both, "TriggerServerEvent", "TriggerLatentServerEvent", "RegisterNUICallback", "SendNUIMessage", "LocalPlayer"]),
};

/** What is left of Lua's own library in the game's sandbox. */
export const lua = new Set([
  "_G", "_VERSION", "assert", "collectgarbage", "error", "getmetatable", "ipairs", "load", "next", "pairs", "pcall", "print", "rawequal", "rawget", "rawlen", "rawset",
  "select", "setmetatable", "tonumber", "tostring", "type", "xpcall", "coroutine", "debug", "math", "os", "string", "table", "utf8",
]);
