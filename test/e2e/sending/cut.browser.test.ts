import assert from "node:assert/strict";
import { test } from "node:test";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { choose, GET_LINK, whenSent } from "../support/pages/sending.ts";
import { countStoredState } from "../support/servers/state.ts";

const SENDING_SCRIPT = /\/assets\/sending-/;

/** The front page while a script of the upload is missing. */
describeUnless(browserMissing, "an upload whose script loads late", () => {
  const site = useBrowsedServer();

  test("sends nothing if it is cancelled before, and can start again", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const asked = Promise.withResolvers<void>();
    const cancelled = Promise.withResolvers<void>();
    await page.route(SENDING_SCRIPT, async (route) => {
      asked.resolve();
      await cancelled.promise;
      await route.continue();
    });
    await page.goto(site.server.url);
    await choose(page, "late.txt");
    const before = await countStoredState(site.server);
    await page.getByRole("button", GET_LINK).click();
    await asked.promise;
    await page.getByRole("button", { name: "Cancel" }).click();
    cancelled.resolve();
    await page.getByRole("button", GET_LINK).waitFor();
    assert.deepEqual(await countStoredState(site.server), before);
    await page.getByRole("button", GET_LINK).click();
    await whenSent(page);
  });

  test("reports a script that fails to load, and keeps the page usable", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.route(SENDING_SCRIPT, (route) => route.abort());
    await page.goto(site.server.url);
    await choose(page, "late.txt");
    await page.getByRole("button", GET_LINK).click();
    await page.getByText("Part of this page did not load.").waitFor();
    await soon(async () => assert.equal(await page.getByRole("button", GET_LINK).isVisible(), true));
    await page.unrouteAll();
    await page.reload();
    await choose(page, "late.txt");
    await page.getByRole("button", GET_LINK).click();
    await whenSent(page);
  });
});
