import { test } from "node:test";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { describeUnless } from "../../support/suite.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { choose, getLink, READY, whenSent } from "../support/pages/sending.ts";

/** The states that scripts make: the front page while one chooses and sends, and the sender's bar. */
describeUnless(browserMissing, "the accessibility of sending", () => {
  const site = useBrowsedServer();

  for (const options of [
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "light" },
    { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  ] as const) {
    test(`axe finds no violation at ${options.viewport.width} pixels in ${options.colorScheme} colors`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      await page.goto(site.server.url);
      await page.locator(".send-choices").waitFor();
      await assertAccessible(page, "empty");

      await choose(page, "one.txt", "two.txt");
      await page.getByText("Options").click();
      await page.getByLabel("Code").check();
      await page.fill("[name=maxDownloads]", "3");
      await page.getByRole("button", { name: "Write text" }).click();
      await page.fill("[name=note]", "A note");
      await assertAccessible(page, "chosen");

      const batch = Promise.withResolvers<void>();
      await page.route("**/api/files/batch", async (route) => {
        await batch.promise;
        await route.continue();
      });
      await getLink(page);
      await page.getByRole("heading", READY).waitFor();
      await page.getByRole("progressbar").first().waitFor();
      await assertAccessible(page, "sending");
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.locator("#confirm[open]").waitFor();
      await assertAccessible(page, "cancelling");
      await page.getByRole("button", { name: "Keep uploading" }).click();
      batch.resolve();
      await whenSent(page);
      const bar = page.getByRole("region", { name: "Your share" });
      await bar.getByText("3 downloads left").waitFor();
      await assertAccessible(page, "sent with a code");
      await assertAccessible(page, "bar");
      for (const panel of ["Share", "Add files", "Edit"]) {
        await bar.getByRole("button", { name: panel, exact: true }).click();
        await assertAccessible(page, panel);
      }
      await bar.getByRole("button", { name: "Delete", exact: true }).click();
      await bar.getByRole("button", { name: "Undo" }).waitFor();
      await assertAccessible(page, "deleting");
      await bar.getByRole("button", { name: "Undo" }).click();

      await page.goto(site.server.url);
      await page.locator("#recent").getByText("3 downloads left").waitFor();
      await assertAccessible(page, "recent");
    });
  }
});
