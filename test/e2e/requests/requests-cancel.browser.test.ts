import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { choose, pendingPaths } from "../support/pages/sending.ts";
import { createFileRequest, getRequest, type RequestView, tokenOf } from "../support/shares/requests.ts";

const SUBMISSION = /\/api\/requests\/submissions\//;
const SECOND_PART = /\/up\/[^/]+\/2\?/;

/** requests, "The page of a link". */
describeUnless(browserMissing, "cancelling an upload to a request", () => {
  const site = useBrowsedServer();
  let folder: string;
  let key: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "filehost-request-cancel-"));
    await writeFile(join(folder, "large.bin"), Buffer.alloc(5 * 1024 ** 2, "large"));
    await writeFile(join(folder, "other.bin"), Buffer.alloc(5 * 1024 ** 2, "other"));
    await writeFile(join(folder, "b.txt"), "b");
    key = (await addAccount(site.server)).key;
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const urlOf = (request: RequestView): string => `${site.server.url}/r/${tokenOf(request)}`;
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const shows = (page: Page, name: string) => page.getByRole("heading", { name }).waitFor();
  const namesIn = async ({ id }: RequestView): Promise<readonly string[]> =>
    (await getRequest(site.server, key, id)).submissions.flatMap(({ files }) => files.map(({ name }) => name)).toSorted();

  /** Sends a large file, whose second part is held. */
  async function sendMost(page: Page, send: string, names: readonly string[] = ["large.bin"]): Promise<void> {
    const isHeld = Promise.withResolvers<void>();
    await page.route(SECOND_PART, () => isHeld.resolve());
    await page.setInputFiles(
      "#file",
      names.map((name) => join(folder, name)),
    );
    await press(page, send);
    await isHeld.promise;
  }
  async function confirmCancel(page: Page, text: string): Promise<void> {
    await press(page, "Cancel");
    await page.getByRole("dialog").getByText(text).waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel the upload" }).click();
    await page.locator("#chosen").waitFor();
  }

  test("keeps files that were sent before, also if the page was closed meanwhile", async () => {
    const request = await createFileRequest(site.server, key);
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(urlOf(request));
    await choose(page, "a.txt", "b.txt");
    await press(page, "Send files");
    await shows(page, "You sent 2 files");
    const receipt = page.url();

    await page.goto(urlOf(request));
    await page.getByText("You sent 2 files on").waitFor();
    await sendMost(page, "Send more files");
    await confirmCancel(page, "What was sent stays.");
    await page.getByText("You sent 2 files on").waitFor();
    await soon(async () => assert.deepEqual(await pendingPaths(page), []));
    await until("the upload has ended", async () => (await getRequest(site.server, key, request.id)).receivedFiles === 2);
    assert.deepEqual(await namesIn(request), ["a.txt", "b.txt"]);

    await page.reload();
    await page.getByText("You sent 2 files on").waitFor();
    await sendMost(page, "Send more files");
    await page.goto("about:blank");
    await page.goto(urlOf(request));
    await page.getByText("Something is missing.").waitFor();
    await sendMost(page, "Send more files");
    await confirmCancel(page, "What was sent stays.");
    await until("the upload has ended", async () => (await getRequest(site.server, key, request.id)).receivedFiles === 2);

    await page.unrouteAll();
    await press(page, "Send more files");
    await shows(page, "You sent 3 files");
    assert.equal(page.url(), receipt);
    assert.deepEqual(await namesIn(request), ["a.txt", "b.txt", "large.bin"]);
  });

  test("keeps files that were sent in place of a missing file, and files that were stored when the page was closed", async () => {
    const request = await createFileRequest(site.server, key);
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(urlOf(request));
    await sendMost(page, "Send files");
    await page.goto("about:blank");
    await page.goto(urlOf(request));
    await page.getByText("Something is missing.").waitFor();
    await sendMost(page, "Send more files", ["b.txt", "other.bin"]);
    await until("the small file is remembered", async () => (await pendingPaths(page)).toSorted().join() === "large.bin,other.bin");
    await confirmCancel(page, "What was sent stays.");
    await page.getByText("You sent 1 file on").waitFor();
    await soon(async () => assert.deepEqual(await pendingPaths(page), []));
    await until("the uploads have ended", async () => (await getRequest(site.server, key, request.id)).receivedFiles === 1);
    assert.deepEqual(await namesIn(request), ["b.txt"]);

    const other = await createFileRequest(site.server, key);
    const isStored = Promise.withResolvers<void>();
    await page.route("**/api/files/batch", (route) => void route.fetch().then(() => isStored.resolve(), isStored.reject));
    await page.goto(urlOf(other));
    await choose(page, "a.txt");
    await press(page, "Send files");
    await isStored.promise;
    await page.goto("about:blank");
    await page.goto(urlOf(other));
    await page.getByText("Something is missing.").waitFor();
    await sendMost(page, "Send more files");
    await confirmCancel(page, "What was sent stays.");
    await page.getByText("You sent 1 file on").waitFor();
    assert.deepEqual(await namesIn(other), ["a.txt"]);
  });

  test("removes a submission that begins, also if the page is closed before the server responds, which first fails", async () => {
    const request = await createFileRequest(site.server, key);
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await page.goto(urlOf(request));
    await choose(page, "a.txt");
    await sendMost(page, "Send files");
    await until("the small file is sent", async () => (await namesIn(request)).includes("a.txt"));
    const isRemoving = Promise.withResolvers<void>();
    await page.route(SUBMISSION, () => isRemoving.resolve());
    await confirmCancel(page, "What was sent is deleted.");
    await isRemoving.promise;
    assert.deepEqual(await namesIn(request), ["a.txt"]);
    await page.goto("about:blank");
    await page.unrouteAll();
    await page.route(SUBMISSION, (route) => route.fulfill({ status: 503, headers: { "Retry-After": "120" } }));
    const isRefused = page.waitForResponse((response) => response.status() === 503);
    await page.goto(urlOf(request));
    await isRefused;
    await page.waitForLoadState("networkidle");
    await page.unrouteAll();
    await page.reload();
    await page.locator(".send-choices").waitFor();
    await until("what was sent is removed", async () => (await namesIn(request)).length === 0);
    await choose(page, "c.txt");
    await press(page, "Send files");
    await shows(page, "You sent 1 file");
    assert.deepEqual(await namesIn(request), ["c.txt"]);
  });
});
