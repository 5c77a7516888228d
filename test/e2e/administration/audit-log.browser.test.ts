import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { describeUnless } from "../../support/suite.ts";
import { homeOf, makeAdministrator, PERSONS_PASSWORD, signInAs } from "../support/accounts/person.ts";
import { clientOf } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";

/** administration, "The audit log". */
describeUnless(browserMissing, "the audit log in a browser", () => {
  const site = useBrowsedServer();

  async function signUp(name: string) {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: PERSONS_PASSWORD, name };
    const { data } = await clientOf(site.server).call("signUp", person);
    return { email: person.email, client: clientOf(site.server, { key: data.sessionToken }) };
  }

  async function search(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
    for (const field of await page.getByRole("searchbox").all()) await field.fill("");
    for (const [label, text] of Object.entries(fields)) await page.getByRole("searchbox", { name: label }).fill(text);
    await page.getByRole("button", { name: "Search", exact: true }).click();
  }

  for (const [device, options] of DEVICES)
    test(`is searched by actor, action and account, and leads to accounts, on ${device}`, async () => {
      const [ada, bo] = [await signUp("Ada"), await signUp("Bo")];
      const made = (await ada.client.call("createKey", { label: "Laptop" })).data;
      await bo.client.call("createKey", {});
      await ada.client.call("revokeKey", { id: made.id });
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await signInAs(page, homeOf(site.server), await makeAdministrator(site.server), "/admin");
      await page.getByRole("navigation", { name: "Administration" }).getByRole("link", { name: "Audit log" }).click();
      const entries = page.locator(".admin-entry");
      await search(page, { Who: ada.email, Action: "key" });
      await page.waitForURL(/action=key/);
      assert.deepEqual(await entries.locator(".admin-action").allTextContents(), ["key.revoked", "key.created"]);
      assert.equal(await page.getByRole("searchbox", { name: "Who" }).inputValue(), ada.email);
      await search(page, { Account: bo.email, Action: "key.created" });
      await page.waitForURL(/action=key\.created/);
      assert.equal(await entries.count(), 1);
      await page.getByText(made.id).waitFor({ state: "detached" });
      await search(page, { Action: "no.such" });
      await page.getByText("No entries found.").waitFor();
      await search(page, { Account: made.id });
      await page.waitForURL(/subject=/);
      await entries.getByRole("link", { name: ada.email }).first().click();
      await page.getByRole("heading", { name: "Ada", exact: true }).waitFor();
      assert.deepEqual(opened.complaints, []);
    });
});
