// Natives of the server. A player is named by number or text; who is not there gives nil.
import { shared } from "./natives-shared.mjs";

export const serverNatives = {
  ...shared,
  GetNumPlayerIndices() {
    return this.players.size;
  },
  GetPlayerFromIndex(_, index) {
    return [...this.players.keys()].map(String)[index] ?? null;
  },
  DoesPlayerExist(_, id) {
    return this.player(id) !== undefined;
  },
  GetPlayerName(_, id) {
    return this.player(id)?.name ?? null;
  },
  GetPlayerEndpoint(_, id) {
    return this.player(id) ? "127.0.0.1" : null;
  },
  GetPlayerPing(_, id) {
    return this.player(id)?.ping ?? 0;
  },
  GetNumPlayerIdentifiers(_, id) {
    return this.player(id)?.identifiers.length ?? 0;
  },
  GetPlayerIdentifier(_, id, index) {
    return this.player(id)?.identifiers[index] ?? null;
  },
  GetPlayerIdentifierByType(_, id, type) {
    return this.player(id)?.identifiers.find((each) => each.startsWith(`${type}:`)) ?? null;
  },
  GetNumPlayerTokens() {
    return 0;
  },
  IsPlayerAceAllowed(_, id, object) {
    this.aceProbes++;
    const player = this.player(id);
    return player !== undefined && this.aces.anyAllowed(player.principals, object);
  },
  IsPrincipalAceAllowed(_, principal, object) {
    return this.aces.allowed(principal, object);
  },
  DropPlayer(_, id, reason) {
    this.later(() => this.drop(Number(id), reason));
  },
  GetPlayerPed(_, id) {
    return this.player(id)?.ped ?? 0;
  },
  PerformHttpRequestInternalEx(runtime, { url, method, data, headers }) {
    return this.request(runtime, { url, method, data, headers: Array.isArray(headers) ? {} : headers });
  },
  SetConvar(_, name, value) {
    this.convars.set(name, value);
  },
  SetConvarReplicated(_, name, value) {
    this.convars.set(name, value, true);
  },
  GetNumResources() {
    return this.known.size;
  },
  GetResourceByFindIndex(_, index) {
    return [...this.known.keys()][index] ?? null;
  },
  GetResourcePath(_, name) {
    return this.known.get(name)?.folder ?? null;
  },
  LoadResourceFile(_, name, file) {
    return this.readResource(name, file);
  },
  GetGameName() {
    return "fxserver";
  },
};
