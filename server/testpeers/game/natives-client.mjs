// Natives of a client (GTA V). Handles are those of the world; what a script draws or
// animates is kept so that a test can look at it.
import { shared } from "./natives-shared.mjs";
import { Many } from "./side.mjs";
import { Float } from "./wire.mjs";

export const clientNatives = {
  ...shared,
  GetGameName() {
    return "fivem";
  },
  PlayerId() {
    return this.player.id; // its index; the same number here as on the server
  },
  PlayerPedId() {
    return this.player.ped;
  },
  GetPlayerPed(_, player) {
    return player === -1 ? this.player.ped : (this.near(player)?.ped ?? 0);
  },
  GetPlayerServerId(_, player) {
    return this.near(player)?.id ?? 0;
  },
  GetPlayerFromServerId(_, id) {
    return this.near(id)?.id ?? -1;
  },
  GetActivePlayers() {
    return [...this.server.players.values()].filter((each) => this.near(each.id)).map((each) => each.id);
  },
  GetPlayerName(_, player) {
    return this.near(player)?.name ?? "**Invalid**";
  },
  IsEntityDead(_, handle) {
    return (this.world.get(handle)?.health ?? 0) <= 0;
  },
  IsPedDeadOrDying(_, handle) {
    return (this.world.get(handle)?.health ?? 0) <= 0;
  },
  IsPedFatallyInjured(_, handle) {
    return (this.world.get(handle)?.health ?? 0) <= 0;
  },
  IsPlayerDead() {
    return (this.world.get(this.player.ped)?.health ?? 0) <= 0;
  },
  IsVehicleSirenAudioOn(_, vehicle) {
    return this.world.get(vehicle)?.siren ?? false;
  },
  GetGameplayCamRot() {
    return this.world.coords(0);
  },
  GetFinalRenderedCamRot() {
    return this.world.coords(0);
  },
  GetClockHours() {
    return this.hour;
  },
  IsPauseMenuActive() {
    return this.paused;
  },
  IsControlPressed(_, _pad, control) {
    return this.controls.has(control);
  },
  IsControlJustPressed() {
    return false;
  },
  IsControlJustReleased() {
    return false;
  },
  IsDisabledControlPressed(_, _pad, control) {
    return this.controls.has(control);
  },
  DisableControlAction() {},
  RegisterKeyMapping(_, command, text, mapper, key) {
    this.keys.map(command, text, mapper, key);
  },
  SetNuiFocus(runtime, keyboard, cursor) {
    Object.assign(this.page(runtime.name).focus, { keyboard: Boolean(keyboard), cursor: Boolean(cursor) });
  },
  SetNuiFocusKeepInput(runtime, keep) {
    this.page(runtime.name).focus.keepInput = Boolean(keep);
  },
  IsNuiFocused() {
    return [...this.pages.values()].some(({ focus }) => focus.keyboard || focus.cursor);
  },
  SendNuiMessage(runtime, json) {
    const page = this.page(runtime.name);
    this.later(() => page.deliver(json));
    return true;
  },
  RegisterNuiCallbackType(runtime, name) {
    this.page(runtime.name).offer(name, (body, answer) => this.emit(`__cfx_nui:${name}`, [body, answer]));
  },
  RegisterNuiCallback(runtime, name, handler) {
    this.page(runtime.name).offer(name, (body, answer) => this.invoke(handler, [body, answer]));
  },
  RequestAnimDict(_, dict) {
    this.animations.requested.add(dict);
  },
  HasAnimDictLoaded(_, dict) {
    return this.animations.requested.has(dict);
  },
  DoesAnimDictExist() {
    return true;
  },
  RemoveAnimDict() {},
  TaskPlayAnim(_, ped, dict, clip, ...rest) {
    this.animations.playing.set(`${ped} ${dict} ${clip}`, rest);
  },
  StopAnimTask(_, ped, dict, clip) {
    this.animations.playing.delete(`${ped} ${dict} ${clip}`);
  },
  IsEntityPlayingAnim(_, ped, dict, clip) {
    return this.animations.playing.has(`${ped} ${dict} ${clip}`);
  },
  SetUserRadioControlEnabled() {},
  SetVehicleRadioEnabled() {},
  AddBlipForCoord(_, x, y, z) {
    return this.blips.add({ position: { x, y, z } });
  },
  SetBlipCoords(_, blip, x, y, z) {
    this.blips.change(blip, { position: { x, y, z } });
  },
  SetBlipSprite(_, blip, sprite) {
    this.blips.change(blip, { sprite });
  },
  SetBlipColour(_, blip, colour) {
    this.blips.change(blip, { colour });
  },
  SetBlipSecondaryColour() {},
  SetBlipScale() {},
  SetBlipAsShortRange() {},
  SetBlipCategory() {},
  SetBlipAlpha() {},
  SetBlipDisplay() {},
  ShowHeadingIndicatorOnBlip() {},
  DoesBlipExist(_, blip) {
    return this.blips.has(blip);
  },
  RemoveBlip(_, blip) {
    this.blips.remove(blip);
  },
  BeginTextCommandSetBlipName() {
    this.blips.text = "";
  },
  AddTextComponentSubstringPlayerName(_, text) {
    this.blips.text = text;
  },
  EndTextCommandSetBlipName(_, blip) {
    this.blips.change(blip, { name: this.blips.text });
  },
  BeginTextCommandThefeedPost() {},
  EndTextCommandThefeedPostTicker(_) {
    this.feed.push(this.blips.text);
    return 0;
  },
  GetResourceKvpString() {
    throw new Error("the resource keeps nothing in the game's key-value store");
  },
  LoadResourceFile(_, name, file) {
    const manifest = this.manifest(name);
    return manifest?.clientFiles().has(file) ? manifest.read(file) : null;
  },
  GetGameBuildNumber() {
    return 3258;
  },
  IsModelInCdimage() {
    return true;
  },
  RequestModel(_, model) {
    this.models.add(model);
  },
  HasModelLoaded(_, model) {
    return this.models.has(model);
  },
  SetModelAsNoLongerNeeded(_, model) {
    this.models.delete(model);
  },
  CreateObject(_, model, x, y, z) {
    return this.world.add({ kind: "object", model, position: { x, y, z } });
  },
  AttachEntityToEntity(_, entity, to) {
    this.world.get(entity).attached = to;
  },
  GetPedBoneIndex(_, _ped, bone) {
    return bone % 100;
  },
  DeleteEntity(_, entity) {
    this.world.remove(entity);
  },
  GetAspectRatio() {
    return new Float(16 / 9);
  },
  GetActiveScreenResolution() {
    return new Many(1920, 1080);
  },
  NetworkIsPlayerActive() {
    return true;
  },
  NetworkIsSessionStarted() {
    return true;
  },
  NetworkGetEntityIsNetworked() {
    return true;
  },
};

/** Blips on a client's map. */
export class Blips {
  #all = new Map();
  #last = 0;
  text = "";

  add(blip) {
    this.#all.set(++this.#last, blip);
    return this.#last;
  }

  change(id, more) {
    if (this.#all.has(id)) Object.assign(this.#all.get(id), more);
  }

  has(id) {
    return this.#all.has(id);
  }

  remove(id) {
    this.#all.delete(id);
  }

  get all() {
    return [...this.#all.values()];
  }
}

