import assert from "node:assert/strict";
import { describe, test } from "node:test";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../support/browser.ts";
import { useBrowsedServer } from "./support/browsed-server.ts";
import { choose, getLink, READY, whenSent } from "./support/sending.ts";

const VIOLATIONS = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 200)).slice(0, 3).join(" ")))`;

/** The states that scripts make: the front page while one chooses and sends, and the sender's bar. */
describe("the accessibility of sending", { skip: browserMissing }, () => {
  const site = useBrowsedServer();

  async function inspect(page: Page, found: string[], state: string): Promise<void> {
    await page.evaluate(axe.source);
    for (const violation of (await page.evaluate(VIOLATIONS)) as string[]) found.push(`${state}: ${violation}`);
  }

  for (const options of [
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: "light" },
    { viewport: { width: 1280, height: 900 }, colorScheme: "dark" },
  ] as const) {
    test(`axe finds no violation at ${options.viewport.width} pixels in ${options.colorScheme} colours`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const found: string[] = [];
      await page.goto(site.server.url);
      await page.locator(".send-choices").waitFor();
      await inspect(page, found, "empty");

      await choose(page, "one.txt", "two.txt");
      await page.getByText("Options").click();
      await page.locator("[name=protect]").check();
      await page.fill("[name=maxDownloads]", "3");
      await page.getByRole("button", { name: "Write text" }).click();
      await page.fill("[name=note]", "A note");
      await inspect(page, found, "chosen");

      const batch = Promise.withResolvers<void>();
      await page.route("**/api/files/batch", async (route) => {
        await batch.promise;
        await route.continue();
      });
      await getLink(page);
      await page.getByRole("heading", READY).waitFor();
      await page.getByRole("progressbar").first().waitFor();
      await inspect(page, found, "sending");
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.locator("#confirm[open]").waitFor();
      await inspect(page, found, "cancelling");
      await page.getByRole("button", { name: "Keep uploading" }).click();
      batch.resolve();
      await page.locator("#send").getByText("Everything is sent.").waitFor();
      await inspect(page, found, "done with a code");

      await page.getByRole("link", { name: "Continue to the share page" }).click();
      await whenSent(page);
      const bar = page.getByRole("region", { name: "Your share" });
      await bar.getByText("3 downloads left").waitFor();
      await inspect(page, found, "bar");
      for (const panel of ["Share", "Add files", "Edit"]) {
        await bar.getByRole("button", { name: panel, exact: true }).click();
        await inspect(page, found, panel);
      }
      await bar.getByRole("button", { name: "Delete", exact: true }).click();
      await bar.getByRole("button", { name: "Undo" }).waitFor();
      await inspect(page, found, "deleting");
      await bar.getByRole("button", { name: "Undo" }).click();

      await page.goto(site.server.url);
      await page.locator("#recent").getByText("3 downloads left").waitFor();
      await inspect(page, found, "recent");
      assert.deepEqual(found, []);
    });
  }
});
