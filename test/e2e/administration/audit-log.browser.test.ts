import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { homeOf, makeAdministrator, PERSONS_PASSWORD, signInAs } from "../support/accounts/person.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { uploadShipment } from "../support/pages/pages.ts";

/** administration, "The audit log". */
describeUnless(browserMissing, "the audit log in a browser", () => {
  const site = useBrowsedServer();

  async function signUp(name: string) {
    const person = { email: `${crypto.randomUUID()}@example.org`, password: PERSONS_PASSWORD, name };
    const { data } = await clientOf(site.server).call("signUp", person);
    const key = data.sessionToken;
    return { email: person.email, key, client: clientOf(site.server, { key }) };
  }

  async function choose(page: Page, choices: Readonly<Record<string, string>>): Promise<void> {
    for (const [label, choice] of Object.entries(choices)) await page.getByLabel(label, { exact: true }).selectOption({ label: choice });
    await page.getByRole("button", { name: "Show", exact: true }).click();
  }

  /** Opens the filters, which phones show only then. */
  async function openFilters(page: Page, device: string): Promise<void> {
    if (device === "a phone") await page.locator(".audit-toggle:not([open]) > summary").click();
  }

  for (const [device, options] of DEVICES)
    test(`says who did what in sentences, which are found by choices, without scripts, on ${device}`, async () => {
      const name = `Ada of ${device}`;
      const [ada, bo] = [await signUp(name), await signUp(`Bo of ${device}`)];
      const made = (await ada.client.call("createKey", { label: "Laptop" })).data;
      await bo.client.call("createKey", {});
      await ada.client.call("revokeKey", { id: made.id });
      const { data: request } = await ada.client.call("createRequest", { title: "Holiday photos" });
      const { data: gone } = await ada.client.call("createRequest", { title: "Old photos" });
      await ada.client.call("deleteRequest", { id: gone.id });
      await ada.client.call("updateRequest", { id: request.id, title: "Photos of Rome" });
      for (const closed of [true, false]) await ada.client.call("updateRequest", { id: request.id, closed });
      const rome = await upload(site.server, { bytes: "Rome", fields: { title: "Trip to Rome" } }, ada);
      await ada.client.call("updateShareSettings", { fileId: rome.id, maxDownloads: 5 });
      // A share without a title has the name of its first file in natural order.
      const { shortId } = await uploadShipment(site.server, { key: ada.key, paths: ["siena.txt", "rome.txt"] });
      await ada.client.call("updateShareSettings", { shortId, maxDownloads: 5 });
      await using opened = await openPage(site.browser, { ...options, javaScriptEnabled: false });
      const { page } = opened;
      await signInAs(page, homeOf(site.server), await makeAdministrator(site.server), "/admin");
      await page.getByRole("navigation", { name: "Administration" }).getByRole("link", { name: "Audit log" }).click();
      const sentences = async () =>
        (await page.locator(".audit-sentence").allInnerTexts()).map((text) => text.replace(/\s*Not verified/, ""));
      await openFilters(page, device);
      await choose(page, { Who: name, What: "Keys", When: "Last 24\u00a0hours" });
      await page.waitForURL(/action=key/);
      await soon(async () => {
        const [revoked = "", created = ""] = await sentences();
        assert.ok(revoked.startsWith(`${name} revoked the key `), revoked);
        assert.ok(created.startsWith(`${name} created the key `), created);
      });
      await soon(async () => assert.equal(await page.getByLabel("Who", { exact: true }).locator("option:checked").textContent(), name));
      await choose(page, { What: "Requests" });
      await page.waitForURL(/action=request/);
      await soon(async () =>
        assert.deepEqual(await sentences(), [
          `${name} reopened the request Photos of Rome`,
          `${name} closed the request Photos of Rome`,
          `${name} changed the title of the request Photos of Rome`,
          `${name} deleted a request`,
          `${name} created a request (now deleted)`,
          `${name} created the request Photos of Rome`,
        ]),
      );
      await choose(page, { What: "Shares" });
      await page.waitForURL(/action=share/);
      await soon(async () =>
        assert.deepEqual(await sentences(), [
          `${name} changed the number of downloads of rome.txt`,
          `${name} changed the number of downloads of Trip to Rome`,
        ]),
      );
      await soon(async () => assert.match((await page.locator(".audit-day h2").first().textContent()) ?? "", /^\d+ \w+ \d{4}$/));
      await soon(async () => assert.match((await page.locator(".audit-clock").first().textContent()) ?? "", /^\s*\d\d:\d\d\s*$/));
      await choose(page, { What: "Requests" });
      await page.waitForURL(/action=request/);
      await page.locator(".audit-entry summary").first().click();
      await page.locator(".audit-facts").first().getByText("request.changed", { exact: true }).waitFor();
      await page.getByRole("link", { name: "Show everything" }).click();
      await openFilters(page, device);
      await page.locator("summary", { hasText: "Days, accounts and IDs" }).click();
      await page.getByLabel("Account or ID").fill(bo.email);
      await choose(page, { What: "Keys" });
      await page.waitForURL(/subject=/);
      await soon(async () => assert.equal((await sentences()).length, 1));
      await page.getByLabel("To", { exact: true }).fill("2020-01-31");
      await choose(page, {});
      await page.getByText("No entries found.").waitFor();
      await page.goto(`${homeOf(site.server)}/admin/audit-log?action=no.such`);
      await page.getByText("No entries found.").waitFor();
      await page.goto(`${homeOf(site.server)}/admin/audit-log?actor=${encodeURIComponent(ada.email)}`);
      await soon(async () => assert.equal(await page.getByLabel("Who", { exact: true }).locator("option:checked").textContent(), name));
      await page.getByRole("link", { name, exact: true }).first().click();
      await page.getByRole("heading", { name, exact: true }).waitFor();
      assert.deepEqual(opened.complaints, []);
    });
});
