// Natives that both sides have. `this` is the side, the first argument the runtime.
import { Float } from "./wire.mjs";

const number = (value) => (value === undefined ? undefined : Number.parseInt(value, 10));

export const shared = {
  GetInvokingResource() {
    return this.invoking();
  },
  CancelEvent() {
    this.canceled = true;
  },
  WasEventCanceled() {
    return this.lastCanceled ?? false;
  },
  GetConvar(runtime, name, fallback) {
    return this.convar(runtime, name) ?? String(fallback);
  },
  GetConvarInt(runtime, name, fallback) {
    const value = number(this.convar(runtime, name));
    return value === undefined || Number.isNaN(value) ? Number(fallback) : value;
  },
  GetConvarFloat(runtime, name, fallback) {
    const value = Number.parseFloat(this.convar(runtime, name));
    return new Float(Number.isNaN(value) ? Number(fallback) : value);
  },
  GetConvarBool(runtime, name, fallback) {
    const value = this.convar(runtime, name);
    return value === undefined ? Boolean(fallback) : ["true", "1", "yes", "on"].includes(value.toLowerCase());
  },
  GetResourceState(_, name) {
    return this.resourceState(String(name));
  },
  GetNumResourceMetadata(_, resource, key) {
    return this.manifest(resource)?.all(key).length ?? 0;
  },
  GetResourceMetadata(_, resource, key, index) {
    return this.manifest(resource)?.all(key)[index ?? 0] ?? null;
  },
  RegisterCommand(runtime, name, handler, restricted) {
    this.commands.set(name.toLowerCase(), { handler, restricted: Boolean(restricted), resource: runtime.name });
  },
  ExecuteCommand(_, line) {
    this.execute(line);
  },
  AddStateBagChangeHandler(runtime, key, bag, handler) {
    this.bags.watch({ owner: runtime.name, key, bag, tell: (name, changed, packed, replicated) => this.tellBagChange(handler, name, changed, packed, replicated) });
    return 1;
  },
  GetPlayerFromStateBagName(_, bag) {
    return Number(/^player:(\d+)$/.exec(bag)?.[1] ?? 0);
  },
  DoesEntityExist(_, handle) {
    return this.world.get(handle) !== undefined;
  },
  GetEntityCoords(_, handle) {
    return this.world.coords(handle);
  },
  GetEntityHeading(_, handle) {
    return new Float(this.world.get(handle)?.heading ?? 0);
  },
  GetEntityHealth(_, handle) {
    return this.world.get(handle)?.health ?? 0;
  },
  GetVehiclePedIsIn(_, ped) {
    return this.world.get(ped)?.vehicle ?? 0;
  },
  IsPedInAnyVehicle(_, ped) {
    return (this.world.get(ped)?.vehicle ?? 0) !== 0;
  },
  IsVehicleSirenOn(_, vehicle) {
    return this.world.get(vehicle)?.lights ?? false;
  },
  NetworkGetNetworkIdFromEntity(_, handle) {
    return handle;
  },
  NetworkGetEntityFromNetworkId(_, id) {
    return this.world.get(id) ? id : 0;
  },
  EnsureEntityStateBag() {},
};
