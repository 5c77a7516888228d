import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { homeOf, signInAs, signUpAs } from "../support/accounts/person.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { whenSent } from "../support/pages/sending.ts";

/** pages, "What a device remembers". */
describeUnless(browserMissing, "the names of encrypted files that a device has sent", () => {
  const site = useBrowsedServer();
  const home = (): string => homeOf(site.server);

  async function sendEncrypted(page: Page, names: readonly string[]): Promise<void> {
    await page.goto(`${home()}/`);
    await page.setInputFiles(
      "#file",
      names.map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) })),
    );
    await page.locator("#options > summary").click();
    await page.getByLabel("Encrypt end to end").check();
    await page.locator("#submit").click();
    await whenSent(page);
  }

  const names = (page: Page) => page.locator(".files-link").evaluateAll((links) => links.map((link) => link.getAttribute("title")));

  for (const [device, options] of DEVICES)
    test(`are shown in the lists of files and shares there, and nowhere else, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page, complaints } = opened;
      const email = `own-${device.slice(2)}@example.org`;
      await signUpAs(page, home(), email);
      await sendEncrypted(page, ["diary.txt"]);
      await page.goto(`${home()}/files`);
      await page.locator(".files-link[title='diary.txt'] .icon").waitFor();
      await soon(async () => assert.deepEqual(await names(page), ["diary.txt"]));
      await assertAccessible(page, "own names in the list of files");
      await page.locator(".files-link").click();
      await page.getByRole("heading", { name: "diary.txt" }).waitFor();
      await page.goto(`${home()}/shares`);
      await page.locator("[data-share] .name", { hasText: "diary.txt" }).waitFor();
      await soon(async () => assert.equal(await page.getByText("Encrypted file").count(), 0));

      await using elsewhere = await openPage(site.browser, options);
      await signInAs(elsewhere.page, home(), email, "/files");
      await elsewhere.page.locator(".files-link[title='Encrypted file']").waitFor();
      await elsewhere.page.goto(`${home()}/shares`);
      await elsewhere.page.locator("[data-share] .name", { hasText: "Encrypted file" }).waitFor();
      assert.deepEqual([complaints, elsewhere.complaints], [[], []]);
    });
});
