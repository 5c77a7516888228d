import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { pngOf } from "../../support/formats/images.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { askShare, getShare, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { bar, button, press, sendFiles, setShare, statusOf } from "../support/pages/sender-bar.ts";
import { choose, getLink, shownShortId, storedRecords, textFile, whenSent } from "../support/pages/sending.ts";
import { claim } from "../support/shares/shares.ts";

/** pages, "The sender's bar". */
describeUnless(browserMissing, "the bar of a share's sender", () => {
  const site = useBrowsedServer();

  const send = (page: Page, ...names: string[]) => sendFiles(page, site.server, ...names);
  const clipboard = (page: Page) => page.evaluate("navigator.clipboard.readText()").then(String);

  /** Holds the request that sends small files, until the returned function is called. */
  async function holdBatch(page: Page): Promise<() => void> {
    const batch = Promise.withResolvers<void>();
    await page.route("**/api/files/batch", async (route) => {
      await batch.promise;
      await route.continue();
    });
    return batch.resolve;
  }

  /** Changes a field of the settings; resolves when it is saved. */
  async function edit(page: Page, id: string, value: string): Promise<void> {
    const field = page.locator(`#edit-${id}`);
    await field.fill(value);
    await field.blur();
    await bar(page).locator(".share-setting", { has: field }).getByText("Saved").waitFor();
  }

  for (const [device, options] of DEVICES)
    test(`is on the page of an account's share also where it was not sent, on ${device}`, async () => {
      const { server, browser } = site;
      const account = await addAccount(server);
      const sent = await upload(server, { name: "first.txt", bytes: "first", fields: { openShare: "true" } }, { key: account.key });
      const single = await upload(server, { name: "single.txt", bytes: "single" }, { key: account.key });
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
      await page.goto(`${homeOf(server)}/d/${sent.shortId}`);
      await press(page, "Edit");
      await edit(page, "title", "Trip");
      await page.getByRole("heading", { name: "Trip" }).waitFor();
      await press(page, "Add files");
      await page.setInputFiles("#add-files", textFile("second.txt"));
      await page.locator("#main").getByText("second.txt").first().waitFor();
      assert.deepEqual((await getShare(server, sent.shortId)).data.files?.map(({ name }) => name).sort(), ["first.txt", "second.txt"]);
      await assertAccessible(page, "the bar of an owner");
      await press(page, "Delete");
      await bar(page).getByRole("button", { name: "Undo" }).click();
      await bar(page).getByText("You sent this.").waitFor();
      await press(page, "Delete");
      await page.goto(`${homeOf(server)}/d/${single.shortId}`);
      await bar(page).getByText("You sent this.").waitFor();
      await until("the share is deleted", async () => (await askShare(server, sent.shortId)).status === 404);
      await soon(async () => assert.equal(await bar(page).getByRole("button", { name: "Add files" }).count(), 0, "a file is no shipment"));
      await page.context().clearCookies();
      await page.goto(`${homeOf(server)}/d/${single.shortId}`, { waitUntil: "networkidle" });
      await soon(async () => assert.equal(await bar(page).count(), 0, "signed out"));
      assert.deepEqual(opened.complaints, []);
    });

  test("shows the key of the URL in the links of an account's share, and does not store it", async () => {
    const { server, browser } = site;
    const account = await addAccount(server);
    const { shortId } = await upload(server, { name: "one.txt", bytes: "one" }, { key: account.key });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
    const [link, key] = [`${homeOf(server)}/d/${shortId}`, `#key=AGE-SECRET-KEY-1${"Q".repeat(58)}`];
    const hashes = () => page.evaluate(`[...document.querySelectorAll("#link, #sender-private-link")].map(({ hash }) => hash)`);
    await page.goto(link + key);
    await press(page, "Edit");
    await page.locator("#edit-protect").check();
    await page.locator("#sender-private-link").waitFor({ state: "attached" });
    await soon(async () => assert.deepEqual(await hashes(), [key, key]));
    const links = async () => (await storedRecords(page, "shares")).map(({ shareUrl, handoffUrl }) => [shareUrl, handoffUrl].join(" "));
    await until("the code is remembered", async () => (await links()).some((text) => text.includes("/h/")));
    await soon(async () => assert.ok(!(await links()).join(" ").includes("#")));
    for (const hash of ["", `${key}&key=other`, `${key.toLowerCase()}`, "#key=other"]) {
      await page.goto("about:blank");
      await page.goto(link + hash);
      await page.locator("#sender-private-link").waitFor({ state: "attached" });
      await soon(async () => assert.deepEqual(await hashes(), ["", ""], hash));
    }
  });

  test("is on the share's page after sending and after a reload, and not in another browser", async () => {
    await using opened = await openPage(site.browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await page.reload();
    await bar(page).getByText("You sent this.").waitFor();
    await press(page, "Copy link");
    await bar(page).getByText("Link copied").waitFor();
    await soon(async () => assert.equal(new URL(await clipboard(page)).pathname, `/d/${shortId}`));
    await press(page, "Share");
    await bar(page).getByRole("button", { name: "Link copied" }).waitFor();
    await page.evaluate('document.dispatchEvent(new Event("copy"))');
    await bar(page).getByRole("button", { name: "Copy link" }).waitFor();
    await bar(page).getByRole("img", { name: "QR code of the link" }).waitFor();
    await soon(async () =>
      assert.match((await bar(page).getByRole("link", { name: "Write an email" }).getAttribute("href")) ?? "", /^mailto:.*%2Fd%2F/),
    );
    assert.deepEqual(opened.complaints, []);
    await using other = await openPage(site.browser);
    const scripts: string[] = [];
    other.page.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
    await other.page.goto(`${site.server.url}/d/${shortId}`, { waitUntil: "networkidle" });
    await soon(async () => assert.equal(await bar(other.page).count(), 0));
    assert.deepEqual(
      scripts.filter((url) => /\/(shares|main)-/.test(url)),
      [],
    );
  });

  for (const [width, names] of [
    [390, ["a.txt"]],
    [1280, ["a.txt", "b.txt"]],
  ] as const) {
    test(`keeps the position of the link and its button when sending ends, at ${width} pixels`, async () => {
      await using opened = await openPage(site.browser, { viewport: { width, height: 800 } });
      const { page } = opened;
      const release = await holdBatch(page);
      await page.goto(site.server.url);
      await choose(page, ...names);
      await getLink(page);
      const copy = page.locator("#link + button");
      const places = async () => [await copy.boundingBox(), await page.locator("#link").boundingBox()];
      await copy.waitFor();
      const before = await places();
      release();
      const shortId = await whenSent(page);
      await bar(page).getByText("No downloads yet").waitFor();
      await soon(async () => assert.deepEqual(await places(), before));
      assert.equal(page.url(), `${site.server.url}/d/${shortId}`);
      await soon(async () => assert.equal(await copy.evaluate((button) => button === document.activeElement), true));
      await page.locator("#announcer").getByText("Everything is sent.").waitFor({ state: "attached" });
      await page.reload();
      await bar(page).getByText("You sent this.").waitFor();
      assert.deepEqual(opened.complaints, []);
    });
  }

  test("says that the link is copied while the clipboard has it, also on the page that opens after sending", async () => {
    await using opened = await openPage(site.browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = opened;
    for (const isReplaced of [false, true]) {
      const release = await holdBatch(page);
      await page.goto(site.server.url);
      await choose(page, "a.txt");
      await getLink(page);
      await page.getByRole("button", { name: "Link copied" }).waitFor();
      if (isReplaced) await page.evaluate('document.dispatchEvent(new Event("copy"))');
      release();
      const shortId = await whenSent(page);
      await bar(page).getByText("No downloads yet").waitFor();
      await button(page, isReplaced ? "Copy link" : "Link copied").waitFor();
      if (!isReplaced) await soon(async () => assert.equal(new URL(await clipboard(page)).pathname, `/d/${shortId}`));
      await page.reload();
      await button(page, "Copy link").waitFor();
      await page.unroute("**/api/files/batch");
    }
  });

  test("shows that another tab is still sending, until it has ended", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const release = await holdBatch(page);
    await page.goto(site.server.url);
    await choose(page, "a.txt");
    await getLink(page);
    await page.locator("#link").waitFor();
    const other = await page.context().newPage();
    await other.goto(`${site.server.url}/d/${await shownShortId(page)}`);
    await bar(other).getByText("Being sent in another tab.").waitFor();
    await soon(async () => assert.equal(await bar(other).getByText("Continue on the front page").count(), 0));
    release();
    await whenSent(page);
    await bar(other).getByText("Being sent in another tab.").waitFor({ state: "detached" });
    await soon(async () => assert.equal(await bar(other).getByText("Not all files are sent.").count(), 0));
    await other.locator("main").getByText("a.txt").first().waitFor();
  });

  test("changes title, message, expiry and downloads, each saved when it changes, and the page shows them", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt", "b.txt");
    await press(page, "Edit");
    await edit(page, "title", "Slides <b>for</b> Monday");
    await edit(page, "message", "Room 12\nat nine");
    await edit(page, "downloads", "2");
    await bar(page).getByText("2 downloads left").waitFor();
    await soon(async () =>
      assert.equal(await page.locator("#edit-downloads").evaluate((field) => field === document.activeElement), false),
    );
    await page.locator("main").evaluate((main) => main.setAttribute("data-old", ""));
    await page.selectOption("#edit-expires", { label: "in 1\u00a0hour" });
    await page.locator("main").getByText("expires in 60 minutes").or(page.locator("main").getByText("expires in 1 hour")).first().waitFor();
    const share = await getShare(site.server, shortId);
    assert.deepEqual([share.title, share.message], ["Slides <b>for</b> Monday", "Room 12\nat nine"]);
    assert.ok(Date.parse(String(share.expires_at)) < Date.now() + 61 * 60_000);
    await page.locator("main:not([data-old])").waitFor();
    await edit(page, "downloads", "");
    await bar(page).getByText("no downloads yet").waitFor();
    await page.reload();
    await press(page, "Edit");
    await soon(async () => assert.equal(await page.inputValue("#edit-title"), "Slides <b>for</b> Monday"));
    assert.deepEqual(opened.complaints, []);
  });

  test("refuses a limit that would end the share, and explains why a change failed", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await send(page, "a.txt");
    await press(page, "Edit");
    await page.fill("#edit-downloads", "0");
    await page.locator("#edit-downloads").blur();
    await bar(page).getByRole("alert").getByText("Enter a number above 0, or nothing.").waitFor();
    await page.context().setOffline(true);
    await page.fill("#edit-title", "Never sent");
    await page.locator("#edit-title").blur();
    await bar(page).getByRole("alert").getByText("Connection lost.").waitFor();
  });

  test("a required code is shown, copied and remembered; recipients need it, and the sender does not", async () => {
    await using opened = await openPage(site.browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { page } = opened;
    const shortId = await send(page, "secret-plan.txt");
    await press(page, "Edit");
    await page.locator("#edit-protect").check();
    await page.locator("#sender-code").waitFor();
    const code = (await page.locator("#sender-code").textContent()) ?? "";
    assert.match(code, /^[A-Z0-9]{6}$/);
    await page.locator("main:not(:has(.code)) form[data-download]").first().waitFor();
    await press(page, "Copy code");
    await until("the code is copied", async () => (await clipboard(page)) === code);
    await using recipient = await openPage(site.browser);
    await recipient.page.goto(`${site.server.url}/d/${shortId}`);
    await recipient.page.fill("input.code", code);
    await recipient.page.keyboard.press("Enter");
    await recipient.page.locator("main:not(:has(.code)) form[data-download]").first().waitFor();
    await page.reload();
    await page.locator("main:not(:has(.code)) form[data-download]").first().waitFor();
    await soon(async () => assert.equal(await page.locator("#sender-code").textContent(), code));
    await press(page, "Copy private link");
    await until("the private link is copied", async () => (await clipboard(page)).includes("/h/"));
    const privateLink = await clipboard(page);
    await press(page, "Edit");
    await press(page, "Replace the code");
    await until("the code is replaced", async () => (await page.locator("#sender-code").textContent()) !== code);
    assert.equal((await fetch(privateLink)).status, 404);
    await page.locator("#edit-protect").uncheck();
    await page.locator("#sender-code").waitFor({ state: "detached" });
    assert.equal((await getShare(site.server, shortId)).unlockRequired, false);
  });

  test("adds files to the same link with progress, and leaving meanwhile asks for confirmation", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    const release = await holdBatch(page);
    await press(page, "Add files");
    await page.setInputFiles("#add-files", [textFile("b.txt"), textFile("c.txt")]);
    await bar(page).getByRole("progressbar").first().waitFor();
    const asked = Promise.withResolvers<string>();
    page.once("dialog", async (dialog) => {
      asked.resolve(dialog.type());
      await dialog.dismiss();
    });
    await page.evaluate("void setTimeout(() => location.reload())");
    assert.equal(await asked.promise, "beforeunload");
    release();
    await page.locator("main").getByText("c.txt").first().waitFor();
    await page.locator("#announcer").getByText("2 files were added.").waitFor({ state: "attached" });
    const { files } = await getShare(site.server, shortId);
    assert.deepEqual(files?.map(({ name }) => name).sort(), ["a.txt", "b.txt", "c.txt"]);
    await soon(async () => assert.equal(await page.locator("#sender-add").count(), 0));
  });

  test("added files get different paths like chosen ones, and a file of the share is not added again", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const folder = await mkdtemp(join(tmpdir(), "filehost-same-"));
    const path = join(folder, "same.txt");
    await writeFile(path, "one");
    await page.goto(site.server.url);
    await page.setInputFiles("#file", path);
    await getLink(page);
    const shortId = await whenSent(page);
    await press(page, "Add files");
    await page.setInputFiles("#add-files", path);
    await bar(page).getByText("These files are already in the share.").waitFor();
    await writeFile(path, "another");
    await page.setInputFiles("#add-files", path);
    await page.locator("#announcer").getByText("1 file was added.").waitFor({ state: "attached" });
    await soon(async () => assert.equal(await page.evaluate("document.activeElement.textContent"), "Add files"));
    const { files } = await getShare(site.server, shortId);
    assert.deepEqual(files?.map(({ relativePath }) => relativePath).sort(), ["same (2).txt", "same.txt"]);
    await rm(folder, { recursive: true });
  });

  test("a cancelled addition keeps the share", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await page.route("**/api/files/batch", () => undefined);
    await press(page, "Add files");
    await page.setInputFiles("#add-files", textFile("b.txt"));
    await press(page, "Cancel");
    await page.locator("#add-files").waitFor();
    assert.equal(await statusOf(site.server, shortId), 200);
  });

  test("an ended share is reported and can be forgotten", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shortId = await send(page, "a.txt");
    await setShare(site.server, shortId, { expires_at: Date.now() - 1000 });
    await page.reload();
    await bar(page).getByText("This share has ended.").waitFor();
    await press(page, "Remove from this device");
    await bar(page).waitFor({ state: "detached" });
    await page.reload({ waitUntil: "networkidle" });
    await soon(async () => assert.equal(await bar(page).count(), 0));
  });

  for (const [reason, columns, sentence] of [
    ["expired", { expires_at: 1 }, "It expired."],
    ["was used up", { status: "expired", max_downloads: 1 }, "All its downloads were used."],
    ["was deleted", { status: "deleted" }, "It was deleted, or ended more than 30\u00a0days ago."],
    ["was taken down", { status: "dmca_removed" }, "The administrator took it down."],
  ] as const)
    test(`says that a share without an account ${reason}, also while its page is open`, async () => {
      await using opened = await openPage(site.browser);
      const { page } = opened;
      const shortId = await send(page, "a.txt");
      await setShare(site.server, shortId, columns);
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await bar(page).getByText(sentence, { exact: true }).waitFor();
      await page.reload();
      await bar(page).getByText(sentence, { exact: true }).waitFor();
    });

  for (const [device, viewport] of [
    ["a phone", { width: 390, height: 844 }],
    ["a desktop", { width: 1280, height: 800 }],
  ] as const)
    test(`has the one main button of the page of a photo, a text and several files, on ${device}`, async () => {
      await using opened = await openPage(site.browser, { viewport });
      const { page } = opened;
      const photo = { name: "a.png", mimeType: "image/png", buffer: Buffer.from(pngOf(300, 200)) };
      for (const files of [[photo], [textFile("a.txt")], [photo, textFile("a.txt")]]) {
        await page.goto(site.server.url);
        await page.setInputFiles("#file", files);
        await getLink(page);
        const shortId = await whenSent(page);
        await bar(page).getByText("No downloads yet").waitFor();
        await page.goto(`${site.server.url}/d/${shortId}`);
        await bar(page).getByText("You sent this.").waitFor();
        await page.locator("main .button:enabled", { hasText: "Download" }).first().waitFor();
        const main = page.locator(".button:visible").filter({ hasText: /\S/ });
        const filled = () =>
          main.evaluateAll((buttons) => {
            const accent = getComputedStyle(document.querySelector("#link + .button") as Element).backgroundColor;
            return buttons.filter((one) => getComputedStyle(one).backgroundColor === accent).map((one) => one.textContent?.trim());
          });
        await soon(async () => assert.deepEqual(await filled(), ["Copy link"]));
      }
    });

  for (const [device, options] of DEVICES)
    test(`is not above the page of an ended share for its owner, whose one button removes it, on ${device}`, async () => {
      await using opened = await openPage(site.browser, options);
      const { page } = opened;
      const session = { name: "session", value: await startSession(site.server, await addAccount(site.server)), url: homeOf(site.server) };
      await page.context().addCookies([session]);
      await page.goto(homeOf(site.server));
      await choose(page, "a.txt");
      await getLink(page);
      const shortId = await whenSent(page);
      await button(page, "Edit").waitFor();
      await setShare(site.server, shortId, { expires_at: Date.now() - 1000 });
      // The page that is open learns it when its sender comes back.
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await page.getByRole("heading", { name: "This link has expired" }).waitFor();
      await bar(page).waitFor({ state: "detached" });
      await page.reload({ waitUntil: "networkidle" });
      await soon(async () => assert.equal(await page.locator("#sent > *").count(), 0));
      await soon(async () => assert.equal((await storedRecords(page, "shares")).length, 1));
      await page.getByRole("button", { name: "Remove from list" }).click();
      await page.getByText("The share is no longer in the list.").waitFor();
      await soon(async () => assert.equal((await storedRecords(page, "shares")).length, 0));
    });

  test("a claimed share is reported", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const changing = page.waitForRequest((request) => request.method() === "PATCH");
    const shortId = await send(page, "a.txt");
    const { claimToken } = (await changing).postDataJSON() as { claimToken: string };
    await claim(site.server, { id: shortId, claimToken }, (await addAccount(site.server)).key);
    await page.reload();
    await bar(page).getByText("This share belongs to an account.").waitFor();
  });

  test("fits a narrow screen with each panel, even with text of twice the size, and keeps its controls large enough", async () => {
    await using opened = await openPage(site.browser, { viewport: { width: 320, height: 640 } });
    const { page } = opened;
    await send(page, "a.txt");
    for (const panel of ["Share", "Add files", "Edit"]) {
      await press(page, panel);
      for (const size of ["100%", "200%"]) {
        const width = await page.locator("html").evaluate((html, fontSize) => {
          html.style.fontSize = fontSize;
          return html.scrollWidth;
        }, size);
        assert.equal(width, 320, `${panel} ${size}`);
      }
    }
    for (const control of await bar(page).getByRole("button").all())
      await soon(async () => assert.ok(((await control.boundingBox())?.height ?? 0) >= 44, (await control.textContent()) ?? ""));
  });

  for (const [width, rows] of [
    [390, 1],
    [320, 2],
  ] as const)
    test(`has buttons of one width in ${rows} rows on a window of ${width} pixels`, async () => {
      await using opened = await openPage(site.browser, { viewport: { width, height: 844 } });
      const { page } = opened;
      await send(page, "a.txt");
      await page.locator(".sender-tool").nth(3).waitFor();
      const boxes = await page.locator(".sender-tool").evaluateAll((tools) => tools.map((tool) => tool.getBoundingClientRect()));
      assert.equal(boxes.length, 4);
      const widths = boxes.map((box) => box.width);
      assert.ok(Math.max(...widths) - Math.min(...widths) < 1.5, widths.join(" "));
      assert.equal(new Set(boxes.map(({ y }) => Math.round(y))).size, rows);
    });
});
