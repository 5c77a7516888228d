import assert from "node:assert/strict";
import { test } from "node:test";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { describeUnless } from "../../support/suite.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";

const TIMES = {
  ofReader: /\b\d{4}, \d\d:\d\d GMT\+5:30\b/,
  ofServer: /\b\d{4}, \d\d:\d\d UTC\b/,
} as const;

/** pages, "Languages". */
describeUnless(browserMissing, "the times of pages", () => {
  const site = useBrowsedServer();

  for (const [device, options] of DEVICES)
    test(`are in the reader's time zone, also in sentences and titles, on ${device}`, async () => {
      const { server, browser } = site;
      const account = await addAccount(server, { isAdministrator: true });
      const file = await upload(server, { name: "a.txt", bytes: "a" }, { key: account.key });
      const { id } = (await clientOf(server, account).call("createRequest", { title: "Photos" })).data;
      // The page of security has the times of other sessions.
      await startSession(server, account);
      await using opened = await openPage(browser, { ...options, timezoneId: "Asia/Kolkata" });
      const { page } = opened;
      await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
      // The page of a recipient has a time that the script shows, and the next pages have the zone from its cookie.
      const paths = [
        `/d/${file.shortId}`,
        "/shares",
        "/requests",
        `/requests/${id}`,
        "/settings/security",
        `/admin/users/${account.userId}`,
        "/admin/audit-log",
      ];
      for (const path of paths) {
        await page.goto(homeOf(server) + path, { waitUntil: "networkidle" });
        const html = await page.content();
        assert.match(html, TIMES.ofReader, path);
        assert.doesNotMatch(html, TIMES.ofServer, path);
      }
      await using recipient = await openPage(browser, { ...options, timezoneId: "Asia/Kolkata" });
      await recipient.page.goto(`${homeOf(server)}/d/${file.shortId}`);
      await recipient.page.getByText(TIMES.ofReader).waitFor({ state: "attached" });
      assert.deepEqual(await recipient.page.context().cookies(), []);
      const withWrongZone = await fetch(`${homeOf(server)}/shares`, {
        headers: { Cookie: `session=${await startSession(server, account)}; timezone=Europe/Nowhere` },
      });
      assert.match(await withWrongZone.text(), TIMES.ofServer);
    });
});
