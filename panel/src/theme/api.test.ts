import { beforeEach, expect, it, vi } from "vitest";
import { testPorts, type TestPorts } from "../action/ports.testing";
import { enConsole } from "../i18n/en.console";
import { addTexts } from "../i18n/language.svelte";
import "../i18n/later";
import type { PttSource, PttTarget } from "../state/ptt";
import type { State } from "../state/state";
import { makeTheme, type ThemeRun } from "./api";
import { type TestDom, testDom } from "./dom.testing";
import { type Dispatch, dispatchFunctions, type Theme, themeFunctions } from "./table.gen";

addTexts(enConsole);
let p: TestPorts;
let dom: TestDom;
let run: ThemeRun;
let dispatch: Dispatch;
let theme: Theme;
let errors: string[];
let warnings: string[];
let pressed: [string, PttTarget | PttSource, PttSource?][];
beforeEach(() => {
  p = testPorts();
  pressed = [];
  Object.assign(p, {
    sound: {
      press: (target: PttTarget, source: PttSource) => {
        pressed.push(["press", target, source]);
        ptt({ state: "TX", source, target, granted: ["154.755"] });
      },
      release: (source: PttSource) => {
        pressed.push(["release", source]);
        if (p.store.now.ptt.source === source && !p.store.now.ptt.latched) ptt({ state: "IDLE", source: null, granted: [] });
      },
    },
  });
  p.store.change((s) => ({ ...s, desk: { ...s.desk, joined: "154.755" }, sound: { ...s.sound, voice: { ...s.sound.voice, micReady: true } } }));
  dom = testDom();
  errors = [];
  warnings = [];
  run = makeTheme(p, dom, { error: (where, e) => void errors.push(`${where}: ${String(e)}`), warn: (t) => void warnings.push(t) });
  ({ dispatch, theme } = run);
});
const ptt = (more: Partial<State["ptt"]>): void => p.store.change((s) => ({ ...s, ptt: { ...s.ptt, ...more } }));
const now = (): State => p.store.now;

it("has every function of the table, and no other", () => {
  expect(Object.keys(dispatch).sort()).toEqual(["on", "off", ...dispatchFunctions].sort());
  expect(Object.keys(theme).sort()).toEqual([...themeFunctions].sort());
  for (const f of [...Object.values(dispatch), ...Object.values(theme)]) expect(f).toBeTypeOf("function");
});

it("channels: joins, leaves, monitors and stops monitoring", () => {
  dispatch.joinChannel("460.250");
  expect(now().desk.joined).toBe("460.25");
  dispatch.leaveChannel();
  expect(now().desk.joined).toBeNull();
  dispatch.addScan(154.28);
  expect(now().desk.scans).toEqual({ "154.28": 0 });
  dispatch.removeScan("154.280");
  expect(now().desk.scans).toEqual({});
  dispatch.joinChannel("1.5");
  dispatch.addScan({} as never);
  expect(warnings).toEqual(['dispatch.joinChannel: there is no channel "1.5"', "dispatch.addScan: there is no channel an object"]);
});

it("monitoring again keeps the priority", () => {
  p.store.change((s) => ({ ...s, desk: { ...s.desk, scans: { "154.28": 1 } } }));
  dispatch.addScan("154.28");
  expect(now().desk.scans).toEqual({ "154.28": 1 });
});

it("push-to-talk: keys and releases, globally and for one channel", () => {
  dispatch.startPTT();
  expect(dispatch.getState().pttActive).toBe(true);
  dispatch.stopChannelPTT(); // not this one
  dispatch.stopPTT();
  expect(dispatch.getState().pttActive).toBe(false);
  dispatch.startChannelPTT(460.25);
  expect(dispatch.getState()).toMatchObject({ channelPttActive: true, channelPttFrequency: "460.25" });
  dispatch.stopChannelPTT();
  expect(pressed).toEqual([
    ["press", { kind: "global" }, "theme"], ["release", "theme"],
    ["press", { kind: "channel", frequency: "460.25" }, "theme"], ["release", "theme"],
  ]);
});

it("push-to-talk is silent without an active channel, where it may not transmit, and while another is active", () => {
  dispatch.leaveChannel();
  dispatch.startPTT();
  dispatch.startChannelPTT("155.34");
  dispatch.startChannelPTT("9.9");
  dispatch.joinChannel("154.755");
  ptt({ state: "TX", source: "key", target: { kind: "global" }, granted: ["154.755"] });
  dispatch.startPTT();
  dispatch.startChannelPTT("460.25");
  ptt({ state: "DENIED", source: "key" });
  dispatch.startPTT();
  dispatch.stopPTT();
  dispatch.stopChannelPTT();
  expect(pressed).toEqual([]);
  expect(warnings).toEqual([]);
});

it("push-to-talk needs a microphone", () => {
  p.store.change((s) => ({ ...s, sound: { ...s.sound, voice: { ...s.sound.voice, micReady: false } } }));
  dispatch.startPTT();
  expect(pressed).toEqual([]);
});

it("a latched key that the theme pressed ends with its stop", () => {
  dispatch.startPTT();
  ptt({ latched: true });
  dispatch.stopPTT();
  expect(pressed).toEqual([["press", { kind: "global" }, "theme"], ["release", "theme"], ["press", { kind: "global" }, "theme"]]);
});

it("announcement groups: arms and disarms", () => {
  dispatch.activateAnnouncementGroup("g1");
  expect(now().desk.group).toBe("g1");
  dispatch.activateAnnouncementGroup("g9");
  expect(now().desk.group).toBe("g1");
  expect(warnings).toEqual(['dispatch.activateAnnouncementGroup: group: no group "g9"']);
  dispatch.activateAnnouncementGroup(null);
  expect(now().desk.group).toBeNull();
});

it("alerts, broadcasts and panics go to the service; what is wrong does not", () => {
  dispatch.triggerAlert(460.25, "signal 100");
  expect(p.sent.at(-1)).toEqual(["POST /radio/dispatch/alert/trigger", { frequency: "460.25", alertType: "SIGNAL 100", alertConfig: { name: "SIGNAL 100", isPersistent: true } }]);
  dispatch.clearAlert("460.250");
  expect(p.sent.at(-1)).toEqual(["POST /radio/dispatch/alert/clear", { frequency: "460.25" }]);
  dispatch.sendBroadcastAlert({ message: "Storm", frequency: 154.28, type: "Weather", tone: "PAGE 1" });
  expect(p.sent.at(-1)).toEqual(["POST /radio/dispatch/broadcast", { message: "Storm", type: "Weather", frequency: "154.28", tone: "PAGE 1" }]);
  dispatch.sendBroadcastAlert({ message: "All" });
  expect(p.sent.at(-1)).toEqual(["POST /radio/dispatch/broadcast", { message: "All", type: "General Alert" }]);
  dispatch.acknowledgePanic(7, "4A-12");
  expect(p.sent.at(-1)).toEqual(["acknowledgePanic", { serverId: 7 }]);
  dispatch.acknowledgePanic("7" as never);
  expect(p.sent.at(-1)).toEqual(["acknowledgePanic", { serverId: 7 }]);
  const count = p.sent.length;
  dispatch.triggerAlert("460.25", "NONE");
  dispatch.triggerAlert("9", "SIGNAL 100");
  dispatch.sendBroadcastAlert({ message: "" });
  dispatch.sendBroadcastAlert({ message: "To one, not to all", frequency: "9.9" });
  dispatch.sendBroadcastAlert(undefined as never);
  dispatch.sendBroadcastAlert({ message: "x", tone: "GONG" });
  dispatch.acknowledgePanic("Ana" as never);
  expect(p.sent).toHaveLength(count);
  expect(warnings).toEqual([
    'dispatch.triggerAlert: alert: no alert "NONE"', 'dispatch.triggerAlert: there is no channel "9"', "dispatch.sendBroadcastAlert: text: empty",
    'dispatch.sendBroadcastAlert: channel: no channel "9.9"', "dispatch.sendBroadcastAlert: text: missing", 'dispatch.sendBroadcastAlert: tone: no tone "GONG"',
    'dispatch.acknowledgePanic: serverId: "Ana" is not a server id',
  ]);
});

it("patches: the promise gives the id, or is rejected with the reason", async () => {
  await expect(dispatch.createPatch(["154.755", 460.25])).resolves.toBe("p-1");
  expect(p.sent.at(-1)).toEqual(["POST /api/patch/create", { frequencies: ["154.755", "460.25"] }]);
  await expect(dispatch.createPatch(["154.755", 154.755])).rejects.toThrow("channels: fewer than 2");
  await expect(dispatch.createPatch(["154.755", "9.9"])).rejects.toThrow('channels: no channel "9.9"');
  await expect(dispatch.createPatch("154.755" as never)).rejects.toThrow("channels: not a list");
  p.store.change((s) => ({ ...s, radio: { ...s.radio, patches: [{ id: "p-1", label: "", frequencies: ["154.755", "460.25"], createdBy: -1, createdAt: 0 }] } }));
  await expect(dispatch.removePatch("p-1")).resolves.toBe(true);
  expect(p.sent.at(-1)).toEqual(["POST /api/patch/remove", { id: "p-1" }]);
  await expect(dispatch.removePatch("p-9")).resolves.toBe(false);
  Object.assign(p.link, { request: () => Promise.reject(new Error("already patched")) });
  await expect(dispatch.createPatch(["154.755", "460.25"])).rejects.toThrow("already patched");
});

it("units: each promise says whether it was done; a wrong argument is false", async () => {
  await expect(dispatch.kickUser(7)).resolves.toBe(true);
  expect(p.sent.at(-1)).toEqual(["POST /dispatch/user/disconnect", { userId: 7 }]);
  await expect(dispatch.alertUser("7" as never, "Come in", "460.250")).resolves.toBe(true);
  expect(p.sent.at(-1)).toEqual(["POST /dispatch/user/alert", { userId: 7, message: "Come in", frequency: "460.25" }]);
  await expect(dispatch.alertUser(7, "Come in")).resolves.toBe(true);
  expect(p.sent.at(-1)).toEqual(["POST /dispatch/user/alert", { userId: 7, message: "Come in", frequency: "154.755" }]);
  await expect(dispatch.setUserCallsign(7, "4A-99")).resolves.toBe(true);
  expect(p.sent.at(-1)).toEqual(["POST /dispatch/user/set-player-callsign", { userId: 7, callsign: "4A-99" }]);
  await expect(dispatch.switchUserChannel(7, 460.25, 154.755)).resolves.toBe(true);
  expect(p.sent.at(-1)).toEqual(["POST /radio/dispatch/switchChannel", { serverId: 7, frequency: "460.25", oldFrequency: "154.755" }]);
  const count = p.sent.length;
  const wrong = [
    dispatch.kickUser(99), dispatch.kickUser(undefined as never), dispatch.alertUser(7, ""), dispatch.alertUser(7, 5 as never), dispatch.alertUser(7, "x", "9.9"),
    dispatch.setUserCallsign(99, "x"), dispatch.switchUserChannel(7, "9.9"), dispatch.switchUserChannel(7, "460.25", "9.9"),
  ];
  expect(await Promise.all(wrong)).toEqual(wrong.map(() => false));
  expect(p.sent).toHaveLength(count);
  p.store.change((s) => ({ ...s, radio: { ...s.radio, config: { ...s.radio.config!, useCallsignSystem: false } } }));
  await expect(dispatch.setUserCallsign(7, "x")).resolves.toBe(false);
  Object.assign(p.link, { request: () => Promise.reject(new Error("gone")) });
  await expect(dispatch.kickUser(7)).resolves.toBe(false);
  expect(errors).toEqual(["dispatch.kickUser: Error: gone"]);
});

it("settings: what is right is set, what is wrong is named and left out", () => {
  const ptt = { pttKey: "F8", pttType: "key", pttMouseButton: 4 } as const;
  dispatch.updateSettings({ callsign: " D-7 ", voiceVolume: 0.25, sfxVolume: 1, globalPTT: ptt, channelPTT: { "460.250": ptt }, announcementGroupPTT: { g1: ptt } });
  expect(now().desk.callsign).toBe("D-7");
  expect(p.sent).toContainEqual(["updateUserInfo", { name: "D-7" }]);
  expect(now().desk.settings).toMatchObject({ voiceVolume: 0.25, sfxVolume: 1, globalPTT: ptt, channelPTT: { "460.25": ptt }, announcementGroupPTT: { g1: ptt } });
  const { settings } = now().desk;
  dispatch.updateSettings({ voiceVolume: 2, sfxVolume: "loud", callsign: "", globalPTT: { pttKey: 5 }, channelPTT: [], look: "day" } as never);
  dispatch.updateSettings(null as never);
  expect(now().desk.settings).toBe(settings);
  dispatch.updateSettings({ channelPTT: { "9.9": ptt }, announcementGroupPTT: { g1: { ...ptt, pttType: "foot" } } } as never);
  expect(now().desk.settings).toMatchObject({ channelPTT: {}, announcementGroupPTT: {} });
  expect(warnings.map((w) => w.split(": want")[0])).toEqual([
    "dispatch.updateSettings: voiceVolume", "dispatch.updateSettings: sfxVolume", "dispatch.updateSettings: callsign", "dispatch.updateSettings: globalPTT",
    "dispatch.updateSettings: channelPTT", "dispatch.updateSettings: look: not a setting that themes may change; want callsign, voiceVolume, sfxVolume, globalPTT, channelPTT, announcementGroupPTT",
    "dispatch.updateSettings", 'dispatch.updateSettings: channelPTT: there is no "9.9"', 'dispatch.updateSettings: announcementGroupPTT["g1"]',
  ]);
});

it("opens the settings, and closes them but no other dialog", () => {
  dispatch.openSettings();
  expect(now().screen.dialog).toEqual({ name: "settings" });
  dispatch.closeSettings();
  expect(now().screen.dialog).toBeNull();
  p.store.change((s) => ({ ...s, screen: { ...s.screen, dialog: { name: "patch" } } }));
  dispatch.closeSettings();
  expect(now().screen.dialog).toEqual({ name: "patch" });
});

it("variables and classes: sets and removes its own", () => {
  dom.variables.set("--sq-zoom", "1.25");
  theme.setVar("--sq-rx", "#0f0");
  theme.setVar("--sq-zoom", 2 as never);
  theme.addClass("night");
  dom.classes.add("theme-other");
  theme.removeClass("other"); // not its own
  theme.removeVar("--rail-sized");
  expect(Object.fromEntries(dom.variables)).toEqual({ "--sq-rx": "#0f0", "--sq-zoom": "2" });
  expect([...dom.classes]).toEqual(["theme-night", "theme-other"]);
  theme.removeVar("--sq-zoom");
  theme.removeVar("--sq-rx");
  theme.removeClass("night");
  expect(Object.fromEntries(dom.variables)).toEqual({ "--sq-zoom": "1.25" });
  expect([...dom.classes]).toEqual(["theme-other"]);
});

it("the limits of names hold, to the character", () => {
  const longest = `--${"a".repeat(58)}`;
  theme.setVar(longest, "1");
  theme.addClass("a".repeat(40));
  expect(dom.variables.get(longest)).toBe("1");
  expect([...dom.classes]).toEqual([`theme-${"a".repeat(40)}`]);
  for (const name of [`${longest}a`, "--1a", "-a", "a", "--", "--a b", "--a_b", "--ä", "", 5, null, "--a;color:red"]) theme.setVar(name as never, "1");
  for (const name of ["a".repeat(41), "1a", "-a", "_a", "a b", "ä", "", null]) theme.addClass(name as never);
  expect(dom.variables.size).toBe(1);
  expect(dom.classes.size).toBe(1);
  expect(warnings).toHaveLength(20);
  expect(warnings[0]).toContain("longer than 60 characters");
  expect(warnings[12]).toContain("longer than 40 characters");
});

it("values that could load something from elsewhere are refused", () => {
  for (const value of ["url(https://evil.example/x)", "URL( '//evil.example/x' )", "u\\72l(https://evil.example)", "url(\\68ttps://evil.example)", "image-set('https://e.example/x' 1x)",
    "url('/\\\\evil.example')", "url(/\\9 /evil.example)", "url('/*') url(https://evil.example) url('*/')", "src(\"https://e.example\")", "@import 'https://e.example'", "url(ftp:x)", {}, null, Number.NaN, "x".repeat(20_001)])
    theme.setVar("--x", value as never);
  expect(dom.variables.size).toBe(0);
  expect(warnings).toHaveLength(15);
  const fine = ["#fff", "0.5rem", "https://example.com is only text", "url(picture.png)", "url(data:image/png;base64,AA//BB==)", "calc(1px * 2)"];
  fine.forEach((value, i) => theme.setVar(`--v${"abcdef"[i]}`, value));
  expect([...dom.variables.values()]).toEqual(fine);
});

it("hides and shows the default UI; the container is one and the same", () => {
  theme.hideDefaultUI();
  expect(dom.attributes.has("data-bare")).toBe(true);
  expect(theme.getContainer()).toBe(theme.getContainer());
  expect(dom.boxes).toHaveLength(1);
  theme.showDefaultUI();
  expect(dom.attributes.has("data-bare")).toBe(false);
});

it("its end undoes everything, with its cleanups in reverse order, whatever they throw", async () => {
  const order: number[] = [];
  dom.variables.set("--sq-zoom", "1.25");
  theme.setVar("--sq-zoom", "2");
  theme.setVar("--sq-rx", "red");
  theme.addClass("night");
  theme.hideDefaultUI();
  dispatch.startPTT();
  run.onUnmount(() => void order.push(1));
  run.onUnmount(() => { throw new Error("bang"); });
  run.onUnmount(async () => { throw new Error("later"); });
  run.onUnmount(() => {
    order.push(2);
    run.onUnmount(() => void order.push(9));
    dispatch.leaveChannel(); // may still act
  });
  run.onUnmount("no" as never);
  run.dispose();
  run.dispose();
  await Promise.resolve();
  expect(order).toEqual([2, 1]);
  expect(errors).toEqual(["a cleanup of onUnmount: Error: bang", "a cleanup of onUnmount: Error: later"]);
  expect(warnings).toEqual(["onUnmount: want a function"]);
  expect(now().desk.joined).toBeNull();
  expect(pressed.at(-1)).toEqual(["release", "theme"]);
  expect(Object.fromEntries(dom.variables)).toEqual({ "--sq-zoom": "1.25" });
  expect([dom.classes.size, dom.attributes.size]).toEqual([0, 0]);
  expect(dom.boxes).toEqual([{ emptied: true, there: false }]);
});

it("once it has ended, a theme does nothing any more", async () => {
  const freq = "154.755";
  const args: Partial<Record<keyof Dispatch, unknown[]>> = {
    joinChannel: [460.25], addScan: [freq], removeScan: [freq], startChannelPTT: [freq], activateAnnouncementGroup: ["g1"], triggerAlert: [freq, "SIGNAL 100"], clearAlert: [freq],
    sendBroadcastAlert: [{ message: "x" }], acknowledgePanic: [7], removePatch: ["p"], updateSettings: [{ voiceVolume: 0 }], kickUser: [7], alertUser: [7, "x"],
    setUserCallsign: [7, "x"], switchUserChannel: [7, 460.25],
  };
  run.dispose();
  const before = now();
  for (const name of dispatchFunctions) {
    if (name === "getState" || name === "createPatch") continue;
    const answer = (dispatch[name] as (...a: unknown[]) => unknown)(...(args[name] ?? []));
    expect(await answer, name).toBe(["removePatch", "kickUser", "alertUser", "setUserCallsign", "switchUserChannel"].includes(name) ? false : undefined);
  }
  await expect(dispatch.createPatch([154.755, 460.25])).rejects.toThrow("the theme has ended");
  theme.setVar("--x", "1");
  theme.addClass("x");
  theme.hideDefaultUI();
  theme.getContainer();
  run.onUnmount(vi.fn());
  expect(now()).toBe(before);
  expect([p.sent, pressed, errors, warnings]).toEqual([[], [], [], []]);
  expect([dom.variables.size, dom.classes.size, dom.attributes.size, dom.boxes.length]).toEqual([0, 0, 0, 0]);
});
