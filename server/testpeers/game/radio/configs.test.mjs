// Files of operators as they are, in the running service: their callbacks are answered in
// the game, by stand-ins of the frameworks, also while a framework is away.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { Service } from "./service.mjs";
import { Town } from "./town.mjs";

const fileOf = (name) => fileURLToPath(new URL(`../../../config/testdata/${name}/config.lua`, import.meta.url));

/** check gets a town with the file's service, and see, which waits until a player is what the operator's callbacks say. */
function operator(name, { resources, cfg }, check) {
  test(name, async () => {
    const town = await Town.open({ service: await Service.of(fileOf(name)), resources, cfg });
    const is = ({ id }) => ({ name: town.call("getPlayerName", id), nac: town.call("getPlayerNacId", id), access: town.call("hasRadioAccess", id) });
    const see = (what, player, name, nac, access) =>
      town.until(`${what}: ${JSON.stringify({ name, nac, access })}`, () => {
        const got = is(player);
        return (got.name === name && got.nac === nac && got.access === access) || got;
      });
    try {
      await check(town, see, is);
      await town.equal();
      assert.deepEqual(town.game.errors, []);
    } finally {
      await town.close();
    }
  });
}

/** without restarts the radio while a framework is stopped; what is done meanwhile finds nobody to ask. */
async function without(framework, town, meanwhile) {
  await town.server.exec(`stop ${framework}\nrestart radio`);
  await town.until("the reason", () => town.game.console.has("config.lua of the service does not run here"));
  await meanwhile();
  await town.server.exec(`ensure ${framework}`);
}

operator("qbcore", { resources: ["qb-core", "ox_inventory"] }, async (town, see, is) => {
  const job = (player, ...args) => {
    town.server.call("qb-core", "SetJob", player.id, ...args);
    assert.equal(town.call("refreshNacId", player.id), true);
  };
  const officer = await town.server.join({ id: 21, name: "steam name" });
  const citizen = await town.server.join({ id: 22, name: "another" });
  town.server.call("ox_inventory", "AddItem", officer.id, "radio", 1);
  await town.registered(officer, citizen);

  job(officer, "police");
  job(citizen, "police", false);
  await see("on duty, with a radio", officer, "S. Number 21", "police", true);
  await see("off duty, without a radio", citizen, "S. Number 22", null, false);
  job(officer, "ambulance");
  await see("another job", officer, "S. Number 21", "ambulance", true);
  await town.server.exec("restart qb-core"); // which knows no job of before: what the file kept of it is no use
  await see("evaluated again", officer, "S. Number 21", "unemployed", true);
  job(officer, "ambulance");
  job(citizen, "police", false);
  await see("the job again", officer, "S. Number 21", "ambulance", true);
  await see("off duty again", citizen, "S. Number 22", null, false);

  let late;
  await without("qb-core", town, async () => {
    town.server.call("ox_inventory", "AddItem", citizen.id, "radio", 1); // has one now, and nobody can say so
    late = await town.server.join({ id: 23, name: "late" });
    town.server.call("ox_inventory", "AddItem", late.id, "radio", 1);
    await see("who joins meanwhile", late, "late", null, false);
    assert.equal(town.call("refreshSubscriber", citizen.id), true);
    await town.equal();
    assert.deepEqual([is(officer), is(citizen)], [{ name: "S. Number 21", nac: "ambulance", access: true }, { name: "S. Number 22", nac: null, access: false }]);
  });
  await see("who joined meanwhile", late, "S. Number 23", "unemployed", true);
  await see("the framework has forgotten the job", officer, "S. Number 21", "unemployed", true);
  await see("who got a radio", citizen, "S. Number 22", "unemployed", true);
  job(officer, "sheriff");
  await see("a job again", officer, "S. Number 21", "sheriff", true);
});

const admin = "license:00000000000000000000000000000000000admin";

operator("esx", { resources: ["es_extended"], cfg: `add_ace identifier.${admin} radio.connect allow` }, async (town, see, is) => {
  const job = (player, name) => {
    town.server.call("es_extended", "SetJob", player.id, name);
    assert.equal(town.call("refreshNacId", player.id), true);
  };
  const officer = await town.server.join({ id: 21, name: "Ann" });
  const citizen = await town.server.join({ id: 22, name: "Bob" });
  const chief = await town.server.join({ id: 23, name: "Cleo", identifiers: [admin] });
  const driver = await town.server.join({ id: 24, name: "Dan", identifiers: ["license:taxi1"] });
  await town.registered(officer, citizen, chief, driver);

  job(officer, "police");
  job(driver, "taxi");
  await see("a job with a NAC id", officer, "Ann", "141", true);
  await see("none", citizen, "Bob", null, false);
  await see("none, and allowed by server.cfg", chief, "Cleo", null, true);
  await see("a job without a NAC id", driver, "Dan", null, true);
  assert.deepEqual(town.call("getAcePermissions", driver.id).connect, ["450.1"], "permissions.cfg counts, too");
  job(officer, "fire");
  await see("another job", officer, "Ann", "301", true);
  await town.server.exec("restart es_extended"); // which knows no job of before: what the file kept of it is no use
  await see("evaluated again", officer, "Ann", null, false);
  job(officer, "fire");
  job(driver, "taxi");
  await see("the job again", officer, "Ann", "301", true);
  await see("the driver's", driver, "Dan", null, true);

  let late;
  await without("es_extended", town, async () => {
    late = await town.server.join({ id: 25, name: "Eve", identifiers: [admin] });
    await see("who joins meanwhile", late, "Eve", null, false);
    assert.equal(town.call("refreshSubscriber", citizen.id), true);
    await town.equal();
    assert.deepEqual([officer, citizen, chief, driver].map(is), [
      { name: "Ann", nac: "301", access: true }, { name: "Bob", nac: null, access: false }, { name: "Cleo", nac: null, access: true }, { name: "Dan", nac: null, access: true },
    ]);
  });
  await see("who joined meanwhile", late, "Eve", null, true);
  await see("the framework has forgotten the job", officer, "Ann", null, false);
  job(officer, "sheriff");
  await see("a job again", officer, "Ann", "142", true);
});
