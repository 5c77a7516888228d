import assert from "node:assert/strict";
import { test } from "node:test";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { homeOf, makeAdministrator, PERSONS_PASSWORD, signInAs } from "../support/accounts/person.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { withDatabase } from "../support/servers/state.ts";

/** administration, "Overview". */
describeUnless(browserMissing, "the overview in a browser", () => {
  const site = useBrowsedServer();

  for (const [device, options] of [
    ["a desktop", { viewport: { width: 1280, height: 800 } }],
    ["a phone without scripts", { viewport: { width: 390, height: 844 }, javaScriptEnabled: false }],
  ] as const)
    test(`shows first what needs attention, then the last 30 days, on ${device}`, async () => {
      const login = await makeAdministrator(site.server);
      const { data: session } = await clientOf(site.server).call("signIn", { login, password: PERSONS_PASSWORD });
      const admin = clientOf(site.server, { key: session.sessionToken });
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await signInAs(page, homeOf(site.server), login, "/admin");
      await page.getByText("Malware scanning is off").waitFor();
      await soon(async () => assert.equal(await page.locator("h2").first().textContent(), "Needs attention"));

      const { shortId, name } = await upload(site.server, { name: `for ${device}.txt`, bytes: device });
      await clientOf(site.server).call("createReport", { shortId, reason: "phishing" });
      const today = (await admin.call("getOverview", {})).data.days.at(-1);
      assert.ok(today && today.uploads > 0 && (today.usedBytes ?? 0) > 0);
      await withDatabase(site.server, async (db) => {
        const day = Math.floor(Date.now() / 86_400_000);
        const earlier = [day - 2, day - 1].map((day) => ({ day, used_bytes: 1000, failures: 0 }));
        await db
          .insertInto("daily_figures")
          .values(earlier)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      });
      await page.reload();
      await page.getByText(/^Since \d+ \w+ \d{4}$/).waitFor();
      for (const chart of [/^Storage\. .+ now/, /^Uploads\. \d+ in total\. Highest: /, /^Downloads\. /, /^Failures waiting\. 0 today$/])
        await page.getByRole("img", { name: chart }).waitFor();
      await page.locator("summary", { hasText: "Show the numbers" }).click();
      const uploads = page.locator(".chart-numbers tbody tr").first().locator("td").nth(1);
      await soon(async () => assert.equal(await uploads.textContent(), String(today.uploads)));
      await soon(async () => assert.equal(await page.locator(".chart-numbers tbody tr").count(), 30));
      await soon(async () => assert.ok(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")));

      await page.locator("#attention").locator("xpath=ancestor::section").getByRole("link", { name: "Reports" }).click();
      await page.getByText(name).first().waitFor();
      const { data: reports } = await admin.call("listReports", {});
      for (const { id } of reports) await admin.call("dismissReport", { id });
      assert.deepEqual(opened.complaints, []);
    });
});
