import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { useSealingSite } from "../support/encryption/sealing-site.ts";
import { DEVICES } from "../support/pages/devices.ts";

/** encryption, "Previews of decrypted files". */
describeUnless(browserMissing, "the search in a list of decrypted names", () => {
  const site = useSealingSite();
  const rows = (page: Page) => page.locator("#entries > li:visible .name").allTextContents();
  /** More files than the page lists at once. */
  const manyFiles = Object.fromEntries(
    ["Zürich plan.txt", ...Array.from({ length: 104 }, (_, index) => `note ${index}.txt`)].map((name) => [name, Buffer.from(name)]),
  );

  for (const [device, options] of DEVICES)
    test(`finds what the page shows, in all parts of the list, and tells the server nothing, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page, complaints } = opened;
      const requests: string[] = [];
      page.on("request", (request) => requests.push(`${request.url()} ${request.postData()}`));
      await page.goto(await site.sender.sendSeveral(manyFiles));
      await page.waitForFunction(() => document.querySelectorAll("#entries [data-path]").length === 100);
      const field = page.getByRole("searchbox", { name: "Search all files" });
      await field.fill("zurich");
      await page.locator(".found").getByText("1 file found.").waitFor();
      await page.locator("#entries > li:visible .name", { hasText: "Zürich plan.txt" }).waitFor();
      await soon(async () => assert.deepEqual(await rows(page), ["Zürich plan.txt"]));
      await field.fill("encrypted-");
      await page.locator(".found").getByText("Nothing found.").waitFor();
      await page.getByRole("button", { name: "Clear search" }).click();
      await soon(async () => assert.equal((await rows(page)).length, 105));
      await soon(async () => assert.equal((await rows(page)).length, 105));
      await field.fill("note 10");
      await page.locator(".found").getByText("5 files found.").waitFor();
      await soon(async () =>
        assert.deepEqual(await rows(page), ["note 10.txt", "note 100.txt", "note 101.txt", "note 102.txt", "note 103.txt"]),
      );
      assert.doesNotMatch(requests.join("\n"), /zurich|note|q=/i);
      assert.deepEqual(complaints, []);
    });
});
