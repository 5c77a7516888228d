import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf, signUpAs } from "../support/accounts/person.ts";
import { clientOf } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { choose } from "../support/pages/sending.ts";
import { withDatabase } from "../support/servers/state.ts";
import { createFileRequest, getRequest, openSubmission, patchRequest, send, tokenOf } from "../support/shares/requests.ts";

/** requests, "The page of a link" and "The pages of the account that asks". */
describeUnless(browserMissing, "a request in browsers", () => {
  const site = useBrowsedServer();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "filehost-request-"));
    await mkdir(join(folder, "Trip/Day 1"), { recursive: true });
    await writeFile(join(folder, "Trip/map.txt"), "a map");
    await writeFile(join(folder, "Trip/Day 1/photo.txt"), "a photo");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const home = (): string => homeOf(site.server);
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();

  const heading = (page: Page, name: string | RegExp) => page.getByRole("heading", { name });

  /** Downloads all files of the owner's page; resolves to the name of the ZIP and the number of its files. */
  async function zipFrom(page: Page): Promise<[string, number]> {
    const started = page.waitForEvent("download");
    await page.getByRole("button", { name: /^Download all ZIP/ }).click();
    const download = await started;
    const zip = join(folder, `${crypto.randomUUID()}.zip`);
    await download.saveAs(zip);
    // Each entry of the central directory begins with these bytes.
    return [download.suggestedFilename(), (await readFile(zip)).toString("latin1").split("PK\x01\x02").length - 1];
  }

  for (const [device, options] of DEVICES)
    test(`is created, receives files from a stranger, who removes and adds some, and is shared, on ${device}`, async () => {
      await using owner = await openPage(site.browser, options);
      await signUpAs(owner.page, home(), `request-${device.slice(2)}@example.org`);
      await owner.page.getByRole("link", { name: "Requests" }).click();
      await owner.page.getByLabel("What do you ask for?").fill("Photos of the <b>party</b>");
      await owner.page.getByLabel("Message").fill("The large ones.");
      await press(owner.page, "Create the link");
      await owner.page.getByText("The link is ready.").waitFor();
      await owner.page.getByRole("link", { name: "Photos of the <b>party</b>", exact: true }).waitFor();
      const link = (await owner.page.locator("#request-link").getAttribute("href")) ?? "";
      const url = home() + new URL(link).pathname;

      await using stranger = await openPage(site.browser, options);
      const { page } = stranger;
      await page.goto(url);
      await heading(page, "Photos of the <b>party</b>").waitFor();
      await page.getByText("Ada Lovelace asks you for files").waitFor();
      await page.getByText(/Up to 100\sfiles, .* · 30\sdays left/).waitFor();
      await page.locator("#sender-name").fill("Grace");
      await page.getByLabel("A note").fill("Here they are.");
      // Phones do not offer folders.
      const isPhone = device === "a phone";
      await choose(page, "a.txt", "b.txt", ...(isPhone ? ["map.txt", "photo.txt"] : []));
      if (!isPhone) await page.locator("input[webkitdirectory]").setInputFiles(join(folder, "Trip"));
      await press(page, "Send files");
      await heading(page, "You sent 4 files").waitFor();
      await page
        .getByText(isPhone ? "photo.txt" : "Trip/Day 1/photo.txt")
        .first()
        .waitFor();
      const receipt = page.url();

      await page.getByRole("button", { name: "Remove a.txt" }).click();
      await heading(page, "You sent 3 files").waitFor();
      await page.getByRole("link", { name: "Send more files" }).click();
      await page.getByText(/You sent 4\sfiles on/).waitFor();
      await page.reload();
      await page.getByText("Files you send now are added to these.").waitFor();
      await choose(page, "c.txt");
      await press(page, "Send more files");
      await heading(page, "You sent 4 files").waitFor();
      assert.equal(page.url(), receipt);

      await owner.page.reload();
      await owner.page.getByRole("heading", { name: "Grace" }).waitFor();
      await owner.page.getByText("Here they are.").waitFor();
      const item = owner.page.locator(".submission li", { hasText: "b.txt" });
      await owner.page.getByText(/^Only you have access · Folder/).waitFor();
      assert.deepEqual(await zipFrom(owner.page), ["Photos of the _b_party__b_.zip", 4]);
      const shortId = new URL(receipt).pathname.split("/")[3] ?? "";
      assert.equal((await page.goto(`${home()}/d/${shortId}`))?.status(), 404);
      assert.equal((await owner.page.request.get(`${home()}/d/${shortId}`)).status(), 200);

      await item.getByRole("button", { name: "Share b.txt" }).click();
      await owner.page.getByText("Shared. Copy the link").waitFor();
      await soon(async () =>
        assert.deepEqual(await owner.page.locator("main .button:not(.small, .plain):visible").allInnerTexts(), ["Copy link"]),
      );
      const shared = home() + new URL((await owner.page.locator("#shared-link").getAttribute("href")) ?? "").pathname;
      assert.equal((await page.goto(shared))?.status(), 200);
      await page.getByText("b.txt").first().waitFor();
      await page.goto(receipt);
      await page.getByText("Shared by the recipient").waitFor();

      await press(owner.page, "Close request");
      await owner.page.getByText("Closed. Nobody can send").waitFor();
      await soon(async () => assert.equal(await owner.page.getByRole("button", { name: "Copy link" }).count(), 0));
      await page.reload();
      await page.getByText("The request is closed").waitFor();
      await page.goto(url);
      await heading(page, "This request is closed").waitFor();
      const complaints = [...owner.complaints, ...stranger.complaints].filter((text) => !/status of 404/.test(text));
      assert.deepEqual(complaints, []);
    });

  for (const [device, viewport] of [
    ["a phone", { width: 390, height: 844 }],
    ["a desktop", { width: 1280, height: 800 }],
  ] as const)
    test(`shows its whole link and a QR code, with a button no wider than needed, on ${device}`, async () => {
      const account = await addAccount(site.server);
      const [empty, used] = [await createFileRequest(site.server, account.key), await createFileRequest(site.server, account.key)];
      await send(site.server, { requestToken: tokenOf(used) });
      await using opened = await openPage(site.browser, { viewport });
      const { page } = opened;
      await page.context().addCookies([{ name: "session", value: await startSession(site.server, account), url: home() }]);
      for (const { id } of [empty, used]) {
        await page.goto(`${home()}/requests/${id}`);
        const copy = page.getByRole("button", { name: "Copy link" });
        await copy.waitFor();
        const link = page.locator("#request-link");
        const isCut = () => link.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
        await soon(async () => assert.equal(await isCut(), false, "the link is whole"));
        const width = async (part: Locator) => (await part.boundingBox())?.width ?? 0;
        if (device === "a desktop") await soon(async () => assert.ok((await width(copy)) < 160, "the button is as wide as its text"));
        await page.locator("summary", { hasText: "QR code" }).click();
        await page.getByRole("img", { name: /QR/ }).waitFor();
        await assertAccessible(page, "the link of a request");
      }
      assert.deepEqual(opened.complaints, []);
    });

  for (const [device, options] of DEVICES)
    test(`is changed, gets another link and is deleted, while another person has its page open, on ${device}`, async () => {
      await using owner = await openPage(site.browser, options);
      await signUpAs(owner.page, home(), `change-${device.slice(2)}@example.org`);
      const key = (await owner.page.context().cookies()).find(({ name }) => name === "session")?.value ?? "";
      const before = await createFileRequest(site.server, key);
      await using stranger = await openPage(site.browser, options);
      const { page } = stranger;
      await page.goto(`${home()}/r/${tokenOf(before)}`);
      await page.getByText("Ada Lovelace asks you for files").waitFor();

      await owner.page.goto(`${home()}/requests`);
      await owner.page.getByRole("link", { name: "Photos of the party" }).click();
      await owner.page.getByRole("link", { name: "Edit", exact: true }).click();
      await owner.page.getByRole("dialog", { name: "Settings of the request" }).waitFor();
      await owner.page.getByLabel("What do you ask for?").fill("Videos of the party");
      await owner.page.getByLabel("Message").fill("The short ones.");
      await owner.page.getByRole("spinbutton", { name: /^Files/ }).fill("3");
      await owner.page.getByLabel("Link expires after").selectOption({ label: "7\u00a0days" });
      await owner.page.getByLabel("Require a code").check();
      await press(owner.page, "Save");
      await owner.page.getByText("Saved.").waitFor();
      await heading(owner.page, "Videos of the party").waitFor();
      const code = (await owner.page.locator("#unlock-code").textContent()) ?? "";
      const { expiresAt, ...saved } = await getRequest(site.server, key, before.id);
      assert.deepEqual(
        [saved.message, saved.maxFiles, saved.maxBytes, saved.unlockRequired],
        ["The short ones.", 3, before.maxBytes, true],
      );
      assert.equal(Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000), 7);
      const inspect = async (state: string) => device === "a phone" && (await assertAccessible(page, state));
      await page.reload();
      await page.getByLabel("Code").fill(code);
      await inspect("the code");
      await press(page, "Continue");
      await page.getByText("Videos of the party").waitFor();
      await page.getByText(/Up to 3\sfiles/).waitFor();
      await choose(page, "a.txt");
      await page.getByText("a.txt", { exact: true }).first().waitFor();
      await inspect("chosen");

      await owner.page.locator("summary", { hasText: "Replace the link" }).click();
      await press(owner.page, "Replace the link");
      await owner.page.getByText("The link was replaced.").waitFor();
      await press(page, "Send files");
      await page.getByText("This does not exist any more").waitFor();
      await page.reload();
      await heading(page, "Request not found").waitFor();
      const link = (await owner.page.locator("#request-link").getAttribute("href")) ?? "";
      assert.notEqual(link, before.requestUrl);
      await page.goto(home() + new URL(link).pathname);
      await page.getByLabel("Code").fill(code);
      await press(page, "Continue");
      await choose(page, "a.txt");
      const batch = Promise.withResolvers<void>();
      await page.route("**/api/files/batch", async (route) => {
        await batch.promise;
        await route.continue();
      });
      await press(page, "Send files");
      await page.getByRole("progressbar").first().waitFor();
      await inspect("sending");
      batch.resolve();
      await heading(page, "You sent 1 file").waitFor();
      await inspect("the receipt");

      await owner.page.locator("summary", { hasText: "Delete request" }).click();
      await press(owner.page, "Delete request");
      await owner.page.getByText("Deleted. What you received stays in your files.").waitFor();
      assert.equal((await page.goto(home() + new URL(link).pathname))?.status(), 404);
      await heading(page, "Request not found").waitFor();
      await owner.page.goto(`${home()}/files`);
      await owner.page.getByRole("link", { name: "Photos of the party", exact: true }).click();
      await owner.page.getByRole("link", { name: "a.txt", exact: true }).waitFor();
      const complaints = [...owner.complaints, ...stranger.complaints].filter((text) => !/status of 404/.test(text));
      assert.deepEqual(complaints, []);
    });

  test("works without JavaScript, and with a code", async () => {
    const { key } = await addAccount(site.server);
    const request = await createFileRequest(site.server, key, { protect: true });
    await using opened = await openPage(site.browser, { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(`${home()}/r/${tokenOf(request)}`);
    await heading(page, "Enter the code to send files").waitFor();
    await page.getByLabel("Code").fill("AAAAAA");
    await press(page, "Continue");
    await page.getByText("Wrong code.").waitFor();
    await page.getByLabel("Code").fill(request.unlockCode ?? "");
    await press(page, "Continue");
    await heading(page, "Photos of the party").waitFor();
    // The form for a URL has a field for the name too.
    await page.locator("#sender-name").fill("Grace");
    await choose(page, "a.txt", "b.txt");
    await press(page, "Send files");
    await heading(page, "You sent 2 files").waitFor();
    const receipt = page.url();
    await page.getByText("Files you send now are added to these.").waitFor();
    await soon(async () => assert.equal(await page.getByRole("link", { name: "Send more files" }).isVisible(), false));
    await choose(page, "c.txt");
    await press(page, "Send more files");
    await heading(page, "You sent 3 files").waitFor();
    assert.equal(page.url(), receipt);
    assert.deepEqual(
      (await getRequest(site.server, key, request.id)).submissions.map(({ senderName, files }) => [senderName, files.length]),
      [["Grace", 3]],
    );
    await page.getByRole("button", { name: "Remove all" }).click();
    await heading(page, "All files that you sent are deleted").waitFor();
    const { submissions, receivedFiles } = await getRequest(site.server, key, request.id);
    assert.deepEqual([submissions, receivedFiles], [[], 0]);
  });

  for (const [device, options] of DEVICES)
    test(`says once that it is ready, and that its code is sent separately, on ${device}`, async () => {
      await using owner = await openPage(site.browser, options);
      const { page } = owner;
      await signUpAs(page, home(), `ready-${device.slice(2)}@example.org`);
      await page.goto(`${home()}/requests`);
      await page.getByLabel("What do you ask for?").fill("Photos of the party");
      await press(page, "Create the link");
      await page.getByText("The link is ready.").waitFor();
      await soon(async () => assert.equal(new URL(page.url()).search, ""));
      await page.reload();
      await page.locator("#request-link").waitFor();
      await soon(async () => assert.equal(await page.getByText("The link is ready.").count(), 0));

      const key = (await page.context().cookies()).find(({ name }) => name === "session")?.value ?? "";
      const protectedRequest = await createFileRequest(site.server, key, { protect: true });
      const note = page.getByText("Senders also need the code. Send it separately.");
      await soon(async () => assert.equal(await note.count(), 0));
      await page.goto(`${home()}/requests/${protectedRequest.id}`);
      await note.waitFor();
    });

  test("explains why it accepts no files", async () => {
    const { key, userId } = await addAccount(site.server);
    await using opened = await openPage(site.browser);
    const { page } = opened;
    const shows = async (token: string, title: string): Promise<void> => {
      assert.equal((await page.goto(`${home()}/r/${token}`))?.status(), 404);
      await heading(page, title).waitFor();
    };
    await shows("rq_unknown", "Request not found");
    const full = await createFileRequest(site.server, key, { maxFiles: 1 });
    await send(site.server, { requestToken: tokenOf(full) });
    await shows(tokenOf(full), "This request has everything it asked for");
    const request = await createFileRequest(site.server, key);
    const token = tokenOf(request);
    await patchRequest(site.server, key, request.id, { closed: true });
    await shows(token, "This request is closed");
    await patchRequest(site.server, key, request.id, { closed: false });
    const setExpiry = (at: number) =>
      withDatabase(site.server, (db) => db.updateTable("requests").set({ expires_at: at }).where("id", "=", request.id).execute());
    await setExpiry(Date.now() - 1);
    await shows(token, "This request has expired");
    await setExpiry(Date.now() + 86_400_000);
    await withDatabase(site.server, (db) =>
      db
        .updateTable("quotas")
        .set({ used_bytes: 1024 ** 4 })
        .where("owner", "=", `user:${userId}`)
        .execute(),
    );
    await shows(token, "There is no room for files right now");
    const setDisabled = (at: number | null) =>
      withDatabase(site.server, (db) => db.updateTable("users").set({ disabled_at: at }).where("id", "=", userId).execute());
    await setDisabled(Date.now());
    await shows(token, "This request is not available");
  });

  test("shows names and notes as text", async () => {
    const { key } = await addAccount(site.server);
    const request = await createFileRequest(site.server, key, { title: "<img src=x onerror=alert(1)>" });
    const requestToken = tokenOf(request);
    await openSubmission(site.server, requestToken, { senderName: "<script>alert(1)</script>" });
    await using opened = await openPage(site.browser);
    await opened.page.goto(`${home()}/r/${requestToken}`);
    await opened.page.getByText("<img src=x onerror=alert(1)>").waitFor();
    assert.deepEqual(opened.complaints, []);
    assert.equal((await clientOf(site.server, { key }).call("listRequests", {})).data.length, 1);
  });

  test("is changed without JavaScript, and its settings stay open with the reason if they are refused", async () => {
    await using owner = await openPage(site.browser);
    await signUpAs(owner.page, home(), "plain@example.org");
    const cookies = await owner.page.context().cookies();
    const request = await createFileRequest(site.server, cookies.find(({ name }) => name === "session")?.value ?? "");
    await using opened = await openPage(site.browser, { javaScriptEnabled: false });
    const { page } = opened;
    await page.context().addCookies(cookies);
    await page.goto(`${home()}/requests/${request.id}`);
    await soon(async () => assert.equal(await page.getByLabel("What do you ask for?").isVisible(), false));
    await page.getByRole("link", { name: "Edit", exact: true }).click();
    await page.getByLabel("Total size").fill("900 TB");
    await press(page, "Save");
    await page.getByRole("dialog", { name: "Settings of the request" }).locator(".problem").waitFor();
    await page.getByLabel("Total size").fill("2 GB");
    await page.getByLabel("What do you ask for?").fill("Songs");
    await press(page, "Save");
    await heading(page, "Songs").waitFor();
    assert.deepEqual(
      opened.complaints.filter((text) => !/status of 4/.test(text)),
      [],
    );
  });
});
