// Accounts and roles of the administration.
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { Admin } from "./admin.mjs";
import { startBrowser } from "./browser.mjs";
import { Service } from "./service.mjs";

let browser, service;

before(async () => {
  service = await Service.start();
  browser = await startBrowser();
});
after(async () => {
  await browser?.close();
  await service?.end();
});

test("an owner makes an account; a viewer looks, and changes its own password only", async () => {
  const owner = await Admin.open(browser, service);
  await owner.login();
  await owner.view("Accounts and roles");
  const table = owner.page.getByRole("table", { name: "Accounts and roles" });
  await table.getByRole("row").filter({ hasText: "of the configuration" }).waitFor();
  await owner.page.getByRole("textbox", { name: "New account" }).fill("Ana");
  await owner.page.getByRole("form", { name: "New account" }).getByLabel("Role").selectOption("viewer");
  await owner.button("Create account").click();
  const secret = await owner.page.locator("[data-part=new-password]").textContent();
  assert.match(secret, /^[A-Za-z0-9]{16}$/);
  await owner.accessible("accounts");

  const ana = await Admin.open(browser, service);
  await ana.field("Account").fill("ana");
  await ana.login(secret);
  await ana.page.getByText("Ana may look, and change nothing.").waitFor();
  await ana.view("Scripts");
  await ana.view("Accounts and roles");
  assert.equal(await ana.page.getByRole("table", { name: "Accounts and roles" }).count(), 0);
  await ana.field("Current password").fill(secret);
  await ana.field("New password, at least 10 characters").fill("a phrase of mine");
  await ana.button("Change password").click();
  await ana.page.getByText("Your password has been changed").waitFor();

  await owner.button("I have saved it").click();
  await owner.page.getByLabel("Role: Ana").selectOption("admin");
  await owner.page.getByText("Ana is admin now, and was signed out.").waitFor();
  await owner.button("Remove account: Ana").click();
  await owner.button("Remove account", owner.page.getByRole("dialog")).click();
  await owner.page.getByText("The account Ana has been removed.").waitFor();
  assert.equal(await table.getByRole("row").count(), 2, "the head and the owner");
  await owner.view("Audit log");
  await owner.page.getByText("Ana changed their own password").waitFor();
  await owner.page.getByText("The administrator made the account Ana").waitFor();
  await owner.close(/status of 401/);
  await ana.close(/status of 401/);
});
