// What a theme's script gets: dispatch, theme and onUnmount. It needs nothing of a
// browser but the DOM that it is handed.

import { acknowledgePanic } from "../action/acknowledge";
import { clearAlert, triggerAlert } from "../action/alert";
import { broadcastTypes, sendBroadcast } from "../action/broadcast";
import { activateAnnouncementGroup } from "../action/group";
import { joinChannel, leaveChannel } from "../action/join";
import { createPatch, removePatch } from "../action/patch";
import { refusal } from "../action/registry";
import { addScan, removeScan } from "../action/scan";
import type { Args } from "../action/schema";
import { close, open } from "../action/screen";
import { setCallsign, updateSettings } from "../action/settings";
import { alertUser, kickUser, setUserCallsign, switchUserChannel } from "../action/unit";
import type { Ports } from "../ports";
import { placeOf } from "../state/place";
import { readChange } from "./change";
import { Events } from "./events";
import { frequencyOf } from "./frequency";
import { guarded, type Report } from "./guard";
import { Key } from "./key";
import { said } from "./said";
import { themeState } from "./state";
import { wrongClass, wrongValue, wrongVariable } from "./style";
import { type Dispatch, eventNames, limits, type Theme } from "./table.gen";
import { Zones } from "./zones";

/** All that a theme's script needs of a page. */
export interface ThemeDom {
  /** The element that has the theme's variables and classes: the page's root. */
  readonly root: HTMLElement;
  /** Makes the theme's container and puts it in its place in the console. Called once for each theme. */
  container(): HTMLElement;
}

export type OnUnmount = (cleanup: () => unknown) => void;

/** What a theme's script is called with, and its end. */
export interface ThemeRun {
  readonly dispatch: Dispatch;
  readonly theme: Theme;
  readonly onUnmount: OnUnmount;
  /** Runs the theme's cleanups and undoes what it has made; from then on its dispatch does nothing. */
  dispose(): void;
}

/** The attribute of the root while the default UI is hidden. */
const bare = "data-bare";

/** Makes the API for one theme. */
export function makeTheme(ports: Ports, dom: ThemeDom, report: Report): ThemeRun {
  const { store } = ports;
  const zones = new Zones();
  const guard = (where: string, call: () => unknown): void => guarded(report, where, call);
  const events = new Events(store, guard, zones);
  const key = new Key(ports);
  const cleanups: (() => unknown)[] = [];
  let over = false;

  /** What a function of dispatch does once the theme is over. */
  const gone = <A extends unknown[], R>(otherwise: R, f: (...a: A) => R): ((...a: A) => R) => (...a) => (over ? otherwise : f(...a));
  const act = <A extends unknown[]>(f: (...a: A) => unknown): ((...a: A) => void) => gone(undefined, (...a: A): void => void f(...a));

  /** The channel that is meant; without one, f is not called. */
  function at(what: string, meant: unknown, f: (frequency: string) => unknown): void {
    const frequency = frequencyOf(store.now.radio, meant);
    if (frequency === null) report.warn(`${what}: there is no channel ${said(meant)}`);
    else f(frequency);
  }

  /** Whether the console has such an action, and takes these arguments. */
  function may(what: string, action: string, args: Args): boolean {
    const wrong = refusal(ports, action, args);
    if (wrong) report.warn(`${what}: ${wrong.field && wrong.field !== "id" ? `${wrong.field}: ` : ""}${wrong.error}`);
    return wrong === null;
  }

  /** A promise that never rejects: what goes wrong is false. */
  const ask = <A extends unknown[]>(what: string, f: (...a: A) => Promise<boolean> | false): ((...a: A) => Promise<boolean>) =>
    async (...a) => {
      if (over) return false;
      try {
        return await f(...a);
      } catch (e) {
        report.error(what, e);
        return false;
      }
    };

  /** The frequency in an argument; what is not known is left as it is, so that it is named as wrong. */
  const frequency = (meant: unknown): unknown => frequencyOf(store.now.radio, meant) ?? meant;

  /** Where a unit is: on the channel that is named, or else where the radio has it. Undefined: there is no such channel. */
  function where(what: string, meant: unknown, unit: number): string | null | undefined {
    if (meant === undefined || meant === null || meant === "") return placeOf(store.now.radio, unit);
    const f = frequencyOf(store.now.radio, meant);
    if (f === null) report.warn(`${what}: there is no channel ${said(meant)}`);
    return f ?? undefined;
  }

  const subscribe = (how: "on" | "off") => (event: unknown, callback: unknown): void => {
    if (over) return;
    if (typeof callback !== "function") report.warn(`dispatch.${how}(${said(event)}): want a function to call back`);
    else if (!events[how](String(event), callback as never)) report.warn(`dispatch.${how}: there is no event ${said(event)}; want one of ${eventNames.join(", ")}`);
  };

  const dispatch: Dispatch = {
    on: subscribe("on") as Dispatch["on"],
    off: subscribe("off") as Dispatch["off"],
    getState: () => themeState(store.now, ports.link.now(), zones),

    joinChannel: act((freq) => at("dispatch.joinChannel", freq, (f) => joinChannel(ports, f))),
    leaveChannel: act(() => leaveChannel(ports)),
    addScan: act((freq) => at("dispatch.addScan", freq, (f) => f in store.now.desk.scans || addScan(ports, f))),
    removeScan: act((freq) => at("dispatch.removeScan", freq, (f) => removeScan(ports, f))),

    startPTT: act(() => key.press({ kind: "global" })),
    stopPTT: act(() => key.release("global")),
    startChannelPTT: act((freq) => {
      const f = frequencyOf(store.now.radio, freq);
      if (f !== null) key.press({ kind: "channel", frequency: f });
    }),
    stopChannelPTT: act(() => key.release("channel")),

    activateAnnouncementGroup: act((groupId) => {
      if (groupId === null || may("dispatch.activateAnnouncementGroup", "group.arm", { group: groupId })) activateAnnouncementGroup(ports, groupId);
    }),

    triggerAlert: act((freq, alertName) => at("dispatch.triggerAlert", freq, (f) => {
      const alert = store.now.radio.config?.alerts.find((a) => a.name.toLowerCase() === String(alertName).toLowerCase());
      if (may("dispatch.triggerAlert", "alert.raise", { alert: alert?.name ?? alertName, channel: f })) return triggerAlert(ports, f, alert!.name);
    })),
    clearAlert: act((freq) => at("dispatch.clearAlert", freq, (f) => clearAlert(ports, f))),
    sendBroadcastAlert: act((broadcast) => {
      const { message, type, tone, frequency: on } = (broadcast ?? {}) as Partial<typeof broadcast>;
      const kind = type === undefined || type === "" ? broadcastTypes[0] : type;
      const place = on === undefined || on === null || on === "" ? "" : frequency(on);
      const args = { text: message, ...(place === "" ? {} : { channel: place }), ...(tone ? { tone } : {}) };
      if (typeof kind !== "string") return report.warn("dispatch.sendBroadcastAlert: type: not a text");
      if (may("dispatch.sendBroadcastAlert", "broadcast.send", args)) return sendBroadcast(ports, { message: message!, type: kind, frequency: String(place), tone: tone ?? "" });
    }),
    acknowledgePanic: act((serverId) => {
      const id = idOf(serverId);
      if (id === null) return report.warn(`dispatch.acknowledgePanic: serverId: ${said(serverId)} is not a server id`);
      return acknowledgePanic(ports, id);
    }),

    createPatch: async (frequencies) => {
      if (over) throw new Error("the theme has ended");
      const channels = Array.isArray(frequencies) ? [...new Set(frequencies.map(frequency))] : frequencies;
      const wrong = refusal(ports, "patch.create", { channels });
      if (wrong) throw new Error(`${wrong.field}: ${wrong.error}`);
      return createPatch(ports, channels as string[]);
    },
    removePatch: ask("dispatch.removePatch", (patchId) => may("dispatch.removePatch", "patch.end", { patch: patchId }) && removePatch(ports, patchId)),

    updateSettings: act((wanted) => {
      const groups = store.now.radio.config?.announcementGroups ?? [];
      const { callsign, settings, wrong } = readChange(wanted, {
        channelPTT: (f) => frequencyOf(store.now.radio, f),
        announcementGroupPTT: (id) => (groups.some((g) => g.id === id) ? id : null),
      });
      for (const w of wrong) report.warn(`dispatch.updateSettings: ${w}`);
      if (callsign !== undefined && callsign !== store.now.desk.callsign) setCallsign(ports, callsign);
      if (Object.keys(settings).length > 0) updateSettings(ports, settings);
    }),
    openSettings: act(() => open(ports, "settings")),
    closeSettings: act(() => {
      if (store.now.screen.dialog?.name === "settings") close(ports);
    }),

    kickUser: ask("dispatch.kickUser", (serverId) => {
      const unit = idOf(serverId);
      return may("dispatch.kickUser", "unit.disconnect", { unit: unit ?? serverId }) && kickUser(ports, unit!);
    }),
    alertUser: ask("dispatch.alertUser", (serverId, message, freq) => {
      const unit = idOf(serverId);
      if (!may("dispatch.alertUser", "unit.text", { unit: unit ?? serverId, text: message })) return false;
      const on = where("dispatch.alertUser", freq, unit!);
      return on !== undefined && alertUser(ports, unit!, message, on);
    }),
    setUserCallsign: ask("dispatch.setUserCallsign", (serverId, callsign) => {
      const unit = idOf(serverId);
      return may("dispatch.setUserCallsign", "unit.callsign", { unit: unit ?? serverId, callsign }) && setUserCallsign(ports, unit!, callsign);
    }),
    switchUserChannel: ask("dispatch.switchUserChannel", (serverId, newFreq, oldFreq) => {
      const unit = idOf(serverId);
      const channel = frequency(newFreq);
      if (!may("dispatch.switchUserChannel", "unit.move", { unit: unit ?? serverId, channel })) return false;
      const from = where("dispatch.switchUserChannel", oldFreq, unit!);
      return from !== undefined && switchUserChannel(ports, unit!, channel as string, from);
    }),
  };

  const { root } = dom;
  /** What was there before the theme set it; "": nothing. */
  const variables = new Map<string, string>();
  const classes = new Set<string>();
  let box: HTMLElement | null = null;

  /** Does it if nothing is wrong. */
  const unlessWrong = (what: string, wrong: string, f: () => void): void => {
    if (over) return;
    if (wrong) report.warn(`${what}: ${wrong}`);
    else f();
  };
  const putBack = (name: string): void => {
    const before = variables.get(name);
    if (before) root.style.setProperty(name, before);
    else root.style.removeProperty(name);
  };

  const theme: Theme = {
    setVar: (name, value) => unlessWrong("theme.setVar", wrongVariable(name) || wrongValue(value), () => {
      if (!variables.has(name)) variables.set(name, root.style.getPropertyValue(name));
      root.style.setProperty(name, String(value));
    }),
    removeVar: (name) => unlessWrong("theme.removeVar", wrongVariable(name), () => {
      if (!variables.has(name)) return; // not the theme's
      putBack(name);
      variables.delete(name);
    }),
    addClass: (name) => unlessWrong("theme.addClass", wrongClass(name), () => {
      const prefixed = limits.classPrefix + name;
      if (root.classList.contains(prefixed)) return;
      classes.add(prefixed);
      root.classList.add(prefixed);
    }),
    removeClass: (name) => unlessWrong("theme.removeClass", wrongClass(name), () => {
      const prefixed = limits.classPrefix + name;
      if (classes.delete(prefixed)) root.classList.remove(prefixed);
    }),
    hideDefaultUI: act(() => {
      box ??= dom.container();
      root.setAttribute(bare, "");
    }),
    showDefaultUI: act(() => root.removeAttribute(bare)),
    getContainer: () => (box ??= over ? root.ownerDocument.createElement("div") : dom.container()),
  };

  return {
    dispatch,
    theme,
    onUnmount: (cleanup) => {
      if (over) return;
      if (typeof cleanup !== "function") report.warn("onUnmount: want a function");
      else cleanups.push(cleanup);
    },
    dispose: () => {
      if (over) return;
      events.dispose();
      for (const cleanup of cleanups.splice(0).reverse()) guard("a cleanup of onUnmount", cleanup);
      over = true;
      guard("the key", () => key.dispose());
      root.removeAttribute(bare);
      for (const name of variables.keys()) putBack(name);
      for (const name of classes) root.classList.remove(name);
      box?.replaceChildren();
      box?.remove();
    },
  };
}

/** A server id as a number: the users of a zone have it as text. Null: it is none. */
function idOf(meant: unknown): number | null {
  const id = typeof meant === "string" && /^-?\d+$/.test(meant) ? Number(meant) : meant;
  return Number.isSafeInteger(id) ? (id as number) : null;
}
