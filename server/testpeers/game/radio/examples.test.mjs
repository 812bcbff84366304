// The handbook's examples, unchanged, beside the resource radio in the simulated game.
// The frameworks are stand-ins with the events and exports that the examples use.
import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { FakeService } from "./fakeservice.mjs";
import { Yard } from "../fixture.mjs";

const at = (path) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const tried = new Set();

async function until(what, check) {
  for (const end = Date.now() + 20_000; Date.now() < end; ) {
    if (check()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.fail(`never happened: ${what}`);
}

// The client's side of radio as far as the examples call it: its page is not built here.
const handheld = `
  exports('setPower', function(on) print('power', on) end)
  exports('closeRadio', function() print('close') end)
  exports('NotifySirenChanged', function() print('siren') end)`;

const inventory = `
  local has = {}
  exports('GetItemCount', function(src, item) return has[src] and has[src][item] or 0 end)
  exports('CanCarryItem', function() return true end)
  exports('AddItem', function(src, item, n) has[src] = has[src] or {} has[src][item] = (has[src][item] or 0) + n return true end)
  exports('RemoveItem', function(src, item, n) if (has[src] and has[src][item] or 0) < n then return false end has[src][item] = has[src][item] - n return true end)`;

function example(name, what, stands, check) {
  test(`${name}: ${what}`, { timeout: 60_000 }, async () => {
    tried.add(name);
    const service = await new FakeService().open();
    const yard = new Yard({ clock: "machine" });
    try {
      for (const [framework, lua] of Object.entries(stands)) {
        await yard.put(framework, { "server.lua": lua });
        await yard.server.start(framework);
      }
      await yard.server.exec(service.serverCfg);
      await yard.server.add("radio", at("server/resource/radio"));
      await yard.server.add(name, at(`handbook/examples/${name}`));
      service.acted = (request) => {
        const { serverId, frequency } = request;
        if (request.do === "setUserChannel") service.user(serverId, { channel: frequency });
        return service.seq;
      };
      await yard.server.join({ name: "Ann" });
      await yard.server.start("radio");
      yard.run();
      await until("the radio runs", () => yard.server.call("radio", "getPlayerName", 1)[0] !== undefined);
      await yard.server.start(name);
      await check(yard, service);
      assert.deepEqual(yard.errors, []);
    } finally {
      yard.close();
      service.close();
    }
  });
}

const done = (service) => service.carriedOut.map((each) => [each.do, each.serverId, each.frequency].filter((part) => part !== undefined));
const chat = (yard, id = 1) => yard.server.players.get(id).received.filter(({ name }) => name === "chat:addMessage").map(({ args }) => args[0].args[1]);

// Each framework has jobs by player, and knows nobody who has left. asked counts how often
// a player's job was looked up; set changes it and says so with the framework's event.
const jobs = `
  local jobs, asked = {}, {}
  local function jobOf(src)
    asked[src] = (asked[src] or 0) + 1
    return GetPlayerName(src) and jobs[src]
  end
  exports('asked', function(src) return asked[src] or 0 end)
  local function player(src)
    local job = jobOf(src)
    return job and { job = job, PlayerData = { source = src, job = job } }
  end
  local function export(name, event)
    exports(name, function(src, job, onduty)
      jobs[src] = { name = job, onduty = onduty ~= false }
      event(src, jobs[src])
    end)
  end
  export('loaded', function(src) TriggerEvent('QBCore:Server:PlayerLoaded', player(src)) TriggerEvent('esx:playerLoaded', src, player(src), false) end)`;

const duty = `
  export('duty', function(src, job) TriggerEvent('QBCore:Server:SetDuty', src, job.onduty) end)`;

const frameworks = {
  "job-radio-qb": ["qb-core", `${jobs}${duty}
    exports('GetCoreObject', function() return { Functions = { GetPlayer = player } } end)
    export('set', function(src, job) TriggerEvent('QBCore:Server:OnJobUpdate', src, job) end)`],
  "job-radio-qbx": ["qbx_core", `${jobs}${duty}
    exports('GetPlayer', player)
    exports('leave', function(src, group) TriggerEvent('qbx_core:server:onGroupUpdate', src, group) end)
    export('set', function(src, job) TriggerEvent('qbx_core:server:onGroupUpdate', src, job.name, 2) end)`],
  "job-radio-esx": ["es_extended", `${jobs}
    exports('getSharedObject', function() return { GetPlayerFromId = player } end)
    export('set', function(src, job) TriggerEvent('esx:setJob', src, job, { name = 'unemployed' }) end)`],
};
const { "job-radio-qb": qb, "job-radio-qbx": qbx } = frameworks;
const sent = (service, action) => done(service).filter(([each]) => each === action);

for (const [name, framework] of [["job-radio-qb", qb], ["job-radio-qbx", qbx]]) {
  example(name, "duty moves the unit", Object.fromEntries([framework]), async (yard, service) => {
    yard.server.call(framework[0], "duty", 1, "police");
    await until("moved", () => done(service).length === 2);
    assert.deepEqual(done(service), [["refreshNacId", 1], ["setUserChannel", 1, "154.755"]]);
    yard.server.call(framework[0], "set", 1, "taxi");
    yard.server.call(framework[0], "duty", 1, "police", false);
    await until("asked again", () => sent(service, "refreshNacId").length >= 2);
    assert.equal(sent(service, "setUserChannel").length, 1, "a taxi has no channel, nor has who is off duty");
  });
}

example("job-radio-qbx", "leaving a group asks for the NAC id and moves nobody", Object.fromEntries([qbx]), async (yard, service) => {
  yard.server.call(qbx[0], "leave", 1, "police");
  await until("left", () => done(service).length === 1);
  assert.deepEqual(done(service), [["refreshNacId", 1]]);
});

for (const [name, framework] of Object.entries(frameworks)) {
  const stands = Object.fromEntries([framework]);
  const set = (yard, ...args) => yard.server.call(framework[0], "set", ...args);
  const asked = (yard, id) => yard.server.call(framework[0], "asked", id)[0];

  example(name, "a new job, and one that is loaded, asks for the NAC id and moves the unit", stands, async (yard, service) => {
    set(yard, 1, "police");
    await until("moved", () => done(service).length === 2);
    yard.server.call(framework[0], "loaded", 1, "fire");
    await until("asked again", () => sent(service, "refreshNacId").length === 2);
    // 154.280 is not a channel of this radio: nobody is moved.
    assert.deepEqual(done(service), [["refreshNacId", 1], ["setUserChannel", 1, "154.755"], ["refreshNacId", 1]]);
  });

  example(name, "a unit whose radio connects later is moved then, to the channel of its last job", stands, async (yard, service) => {
    await yard.server.join({ name: "Bob" });
    await yard.server.join({ name: "Cleo" });
    const all = (check) => [1, 2, 3].every(check);
    await until("all are known", () => all((id) => service.registered.has(id)));
    for (const id of [1, 2, 3]) service.user(id, { connected: false, callsign: "off" });
    await until("no radio is connected", () => all((id) => yard.server.call("radio", "getCallsign", id)[0] === "off"));
    set(yard, 1, "police");
    yard.server.call(framework[0], "loaded", 2, "police");
    set(yard, 3, name === "job-radio-esx" ? "sheriff" : "bcso");
    set(yard, 1, name === "job-radio-esx" ? "sheriff" : "bcso");
    const first = asked(yard, 3);
    await until("tried in vain", () => asked(yard, 3) > first);
    assert.deepEqual(sent(service, "setUserChannel"), []);
    yard.server.drop(3);
    const [before, last] = [asked(yard, 2), asked(yard, 3) + 1];
    await until("the others are tried", () => asked(yard, 2) >= before + 2);
    service.user(1, { connected: true });
    await until("moved", () => sent(service, "setUserChannel").length === 1);
    service.user(2, { connected: true });
    await until("both are moved", () => sent(service, "setUserChannel").length === 2);
    assert.deepEqual(sent(service, "setUserChannel"), [["setUserChannel", 1, "460.25"], ["setUserChannel", 2, "154.755"]]);
    assert.equal(asked(yard, 3), last, "for who has left nobody tries again");
  });
}

example("signal-100", "holds a channel and releases it", {}, async (yard, service) => {
  service.user(1, { channel: "154.755" });
  await until("tuned", () => yard.server.call("radio", "getSpeakersInChannel", "154.755")[0]?.length === 1);
  yard.server.execute("signal100", 1);
  assert.deepEqual(chat(yard), [], "not without permission");
  await yard.server.exec("add_ace player.1 command.signal100 allow");
  yard.server.execute("signal100", 1);
  yard.server.execute("signal100 154.7550", 1);
  yard.server.execute("signal100 999.5", 1);
  assert.deepEqual(chat(yard), ["SIGNAL 100 on 154.755", "154.7550 is free again", "There is no channel 999.5"]);
  await until("both were sent", () => done(service).length === 2);
});

example("radio-shop", "sells at the counter, to those who have none", { ox_inventory: inventory }, async (yard, service) => {
  const ped = yard.server.world.get(yard.server.players.get(1).ped);
  const buy = () => yard.server.execute("buyradio", 1);
  buy();
  Object.assign(ped.position, { x: 441, y: -982, z: 30.5 });
  buy();
  yard.server.call("ox_inventory", "AddItem", 1, "money", 700);
  buy();
  buy();
  assert.deepEqual(chat(yard), ["There is no radio shop here.", "A radio is $500.", "Here you are. Over and out.", "Your radio works. Come back when it does not."]);
  await until("the access is asked again", () => done(service).length === 1);
  assert.deepEqual(done(service), [["refreshSubscriber", 1]]);
});

example("radio-item-ox", "access is asked again when the radio comes or goes", { ox_inventory: inventory }, async (yard, service) => {
  yard.server.send(yard.server.players.get(1), "radio-item:changed"); // it has access, and no radio
  for (let i = 0; i < 20; i++) yard.server.send(yard.server.players.get(1), "radio-item:changed", { count: 5 });
  await until("asked", () => done(service).length === 1);
  assert.deepEqual(done(service), [["refreshSubscriber", 1]]);
});

example("radio-roster", "shows who is where, to those who may dispatch", {}, async (yard, service) => {
  service.user(1, { channel: "154.755", callsign: "1A-12", talking: ["154.755"] });
  service.user(-2, { name: "Dispatch", channel: "154.755" });
  await until("tuned", () => yard.server.call("radio", "getSpeakersInChannel", "154.755")[0]?.length === 2);
  yard.server.execute("roster", 1);
  assert.deepEqual(chat(yard), []);
  service.user(1, { aces: { connect: true, scan: true, gps: true, zones: true, dispatch: true } });
  await until("may dispatch", () => yard.server.call("radio", "getAcePermissions", 1)[0].dispatch === true);
  yard.server.execute("roster", 1);
  assert.deepEqual(chat(yard), ["154.755, LSPD DISP: #-2 Dispatch, 1A-12 Ann (talking)"]);
});

/** clients of examples need no service: the radio is a stand-in there. */
function clientExample(name, what, check) {
  test(`${name}: ${what}`, async () => {
    tried.add(name);
    const yard = new Yard();
    try {
      await yard.started("radio", { "client.lua": handheld });
      await yard.put("ox_inventory", { "server.lua": inventory });
      await yard.server.add(name, at(`handbook/examples/${name}`));
      await yard.server.start(name);
      const { client } = await yard.server.join({ client: true });
      await check(yard, client);
      assert.deepEqual(yard.errors, []);
    } finally {
      yard.close();
    }
  });
}

clientExample("siren-lvc", "every change asks the siren check", async (yard, client) => {
  client.emit("lvc:UpdateThirdParty", [{ state_lxsiren: 2 }]);
  assert.deepEqual(yard.clientConsole.lines, ["[radio] siren"]);
});

clientExample("radio-item-ox", "the last radio that goes switches off", async (yard, client) => {
  for (const count of [2, 1, 0, 0]) client.emit("ox_inventory:itemCount", ["radio", count]);
  client.emit("ox_inventory:itemCount", ["water", 0]);
  assert.deepEqual(yard.clientConsole.lines, ["[radio] close", "[radio] power\tfalse"]);
});

// The others are for the service; package webhook and package radio try them.
test("every example of the handbook that is a resource is tried", () => {
  const resources = fs.readdirSync(at("handbook/examples")).filter((name) => fs.existsSync(at(`handbook/examples/${name}/fxmanifest.lua`)));
  assert.deepEqual([...tried].sort(), resources.sort());
});
