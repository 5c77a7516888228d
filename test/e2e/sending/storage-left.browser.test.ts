import assert from "node:assert/strict";
import { test } from "node:test";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { GET_LINK } from "../support/pages/sending.ts";

const KB = 1024;
const STORAGE = { fileBytes: 20 * KB, storageBytes: 20 * KB, storageMaxBytes: 20 * KB };

/** pages, "One link for everything". */
describeUnless(browserMissing, "the storage that a sender has left", () => {
  const site = useBrowsedServer({ FILEHOST_LIMITS: JSON.stringify({ tiers: { anonymous: STORAGE, free: STORAGE } }) });

  test("is said before anything is chosen, and nothing is begun that does not fit", async () => {
    const { server, browser } = site;
    assert.doesNotMatch(await (await fetch(server.url)).text(), /of storage left/);
    await upload(server, { bytes: new Uint8Array(12 * KB) });
    const withoutScripts = await (await fetch(server.url, { headers: { Accept: "text/html" } })).text();
    assert.match(withoutScripts, /Up to 20\sKB per file, for up to 3\sdays\. 8\sKB of storage left\./);
    for (const [, options] of DEVICES) {
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.goto(server.url);
      await page.getByText("8 KB of storage left.").waitFor();
      const choose = (bytes: number) =>
        page.setInputFiles("#file", { name: `${bytes}.bin`, mimeType: "application/octet-stream", buffer: Buffer.alloc(bytes) });
      await choose(9 * KB);
      await page.getByText("This needs 9 KB of storage, but 8 KB are left. Remove some of it.").waitFor();
      await soon(async () => assert.equal(await page.getByRole("button", GET_LINK).isDisabled(), true));
      await page.getByRole("button", { name: `Remove ${9 * KB}.bin` }).click();
      await choose(7 * KB);
      await page.locator("#chosen").getByText("7 KB").waitFor();
      await soon(async () => assert.equal(await page.getByRole("button", GET_LINK).isEnabled(), true));
      // The encryption makes the file larger.
      await page.locator("#options > summary").click();
      await page.getByLabel("Encrypt end to end").check();
      await page.getByText(/^This needs 1[34](\.\d)?\sKB of storage, but 8\sKB are left/).waitFor();
      await page.getByLabel("Encrypt end to end").uncheck();
      await page.getByText(/^This needs/).waitFor({ state: "detached" });
      assert.deepEqual(opened.complaints, []);
    }
    await upload(server, { bytes: new Uint8Array(8 * KB) });
    assert.match(await (await fetch(server.url)).text(), /Your storage is full\. Delete files, or wait until some expire\./);
  });

  for (const [device, options] of DEVICES)
    test(`is said on the page of files, is read again there, and nothing is begun that does not fit, on ${device}`, async () => {
      const { server, browser } = site;
      const { key, userId } = await addAccount(server);
      await upload(server, { bytes: new Uint8Array(12 * KB) }, { key });
      await using opened = await openPage(browser, options);
      const { page } = opened;
      const home = homeOf(server);
      await page.context().addCookies([{ name: "session", value: await startSession(server, { userId }), url: home }]);
      await page.goto(`${home}/files`);
      await page.getByText("8 KB of storage left.").waitFor();
      const choose = (bytes: number) =>
        page.setInputFiles("#upload-files", { name: `${bytes}.bin`, mimeType: "application/octet-stream", buffer: Buffer.alloc(bytes) });
      await choose(9 * KB);
      await page.locator(".toasts").getByText("Not uploaded: this needs 9 KB of storage, but 8 KB are left.").waitFor();
      await choose(2 * KB);
      await page.getByText("6 KB of storage left.").waitFor();
      await upload(server, { bytes: new Uint8Array(5 * KB) }, { key });
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await page.getByText("1 KB of storage left.").waitFor();
      await soon(async () => assert.equal(await page.getByRole("link", { name: `${9 * KB}.bin` }).count(), 0));
      assert.deepEqual(opened.complaints, []);
    });
});
