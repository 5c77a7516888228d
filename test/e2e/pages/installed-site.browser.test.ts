import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { upload } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";

interface Shared {
  readonly names?: readonly string[];
  readonly texts?: Readonly<Record<string, string>>;
}

/** Shares files and texts as a system does: with a form, from the installed site itself. */
async function share(page: Page, { names = [], texts = {} }: Shared): Promise<void> {
  await page.evaluate(
    ({ names, texts }) => {
      const files = new DataTransfer();
      for (const name of names) files.items.add(new File([`bytes of ${name}`], name, { type: "image/jpeg" }));
      const form = document.createElement("form");
      Object.assign(form, { method: "post", action: "/share-target", enctype: "multipart/form-data" });
      const field = Object.assign(document.createElement("input"), { type: "file", name: "file", multiple: true });
      field.files = files.files;
      form.append(field);
      for (const [name, value] of Object.entries(texts)) form.append(Object.assign(document.createElement("input"), { name, value }));
      document.body.append(form);
      form.submit();
    },
    { names, texts },
  );
  await page.waitForURL("**/?shared=1");
}

const waitForWorker = (page: Page): Promise<unknown> =>
  page.waitForFunction(() => navigator.serviceWorker.controller?.state === "activated");

const chosen = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const files = [...(document.querySelector<HTMLInputElement>("#file")?.files ?? [])];
    return await Promise.all(files.map(async (file) => `${file.name} ${file.type}: ${await file.text()}`));
  });

/** pages, "The installed site". */
describeUnless(browserMissing, "the installed site", () => {
  const site = useBrowsedServer();

  test("can be installed", async () => {
    await using opened = await openPage(site.browser, { serviceWorkers: "allow" });
    const { page } = opened;
    await page.goto(site.server.url);
    const session = await page.context().newCDPSession(page);
    const { errors, data } = await session.send("Page.getAppManifest");
    assert.deepEqual(errors, []);
    assert.match(data ?? "", /"share_target"/);
    assert.deepEqual(opened.complaints, []);
  });

  test("adds shared files to the list of the front page, once, also with unusual names", async () => {
    await using opened = await openPage(site.browser, { serviceWorkers: "allow" });
    const { page } = opened;
    await page.goto(site.server.url);
    await waitForWorker(page);
    const names = ["beach.jpg", "Übermut – “😀”.jpg"];
    await share(page, { names, texts: { text: "Two photos" } });
    await page.getByText("beach").first().waitFor();
    await soon(async () =>
      assert.deepEqual(
        await chosen(page),
        names.map((name) => `${name} image/jpeg: bytes of ${name}`),
      ),
    );
    await page.reload();
    await waitForWorker(page);
    await soon(async () => assert.deepEqual(await chosen(page), []));
    await soon(async () => assert.deepEqual(await page.evaluate(() => caches.keys()), []));
    assert.deepEqual(opened.complaints, []);
  });

  test("adds a shared text as a file", async () => {
    await using opened = await openPage(site.browser, { serviceWorkers: "allow" });
    const { page } = opened;
    await page.goto(site.server.url);
    await waitForWorker(page);
    await share(page, { texts: { title: "A page", text: "", url: "https://example.org/a?b=c" } });
    await page.getByText("note").first().waitFor();
    await soon(async () => assert.deepEqual(await chosen(page), ["note.txt text/plain: A page\nhttps://example.org/a?b=c"]));
  });

  test("leaves all other requests to the network, and is registered by the front page only", async () => {
    await using opened = await openPage(site.browser, { serviceWorkers: "allow" });
    const { page } = opened;
    const { sharePath } = await upload(site.server, { name: "a.txt", bytes: "bytes" });
    await page.goto(site.server.url + sharePath);
    await page.locator("h1").waitFor();
    await soon(async () => assert.equal(await page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length), 0));
    await page.goto(site.server.url);
    await waitForWorker(page);
    const response = await page.goto(site.server.url + sharePath);
    assert.equal(response?.fromServiceWorker(), false);
    await soon(async () => assert.deepEqual(await page.evaluate(() => caches.keys()), []));
  });
});
