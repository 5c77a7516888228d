import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { readIdentityFile } from "../../../src/transfer/encryption/identity-file.ts";
import { createShareKey } from "../../../src/transfer/encryption/share-key.ts";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { fillSignIn, homeOf, signUpAs } from "../support/accounts/person.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { withDatabase } from "../support/servers/state.ts";
import { createFileRequest, getRequest, tokenOf } from "../support/shares/requests.ts";
import { someBytes } from "../support/uploads/multipart.ts";

const PASSPHRASE = "a long passphrase of mine";
const HIDDEN_NAME = /^encrypted-[0-9a-f]{16}\.tar\.age$/;
/** A part of the content of each sent file. */
const CONTENT = "plain words inside";

/** requests, "Encrypted requests". */
describeUnless(browserMissing, "an encrypted request in browsers", () => {
  const site = useBrowsedServer();
  const home = (): string => homeOf(site.server);
  const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).click();
  const file = (name: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(`${CONTENT} ${name}`) });

  /** Records what the page sends, with the bytes of forms. */
  function recordRequests(page: Page): string[] {
    const sent: string[] = [];
    page.on("request", (request) => {
      // A browser reads these addresses itself.
      if (/^(?:blob|data):/.test(request.url())) return;
      const url = request.url().replace(/#.*$/, "");
      sent.push(`${url}\n${JSON.stringify(request.headers())}\n${request.postDataBuffer()?.toString("latin1") ?? ""}`);
    });
    return sent;
  }

  async function saveRecoveryFile(page: Page): Promise<string> {
    const saved = page.waitForEvent("download");
    await press(page, "Save the recovery file");
    const download = await saved;
    assert.equal(download.suggestedFilename(), "filehost-key.txt");
    await page.getByText("Saved. Keep it").waitFor();
    return await readFile(await download.path(), "utf8");
  }

  async function save(page: Page, name: string): Promise<{ name: string; text: string }> {
    const saving = page.waitForEvent("download");
    await press(page, `Download ${name}`);
    const download = await saving;
    return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
  }

  for (const [device, options] of DEVICES)
    test(`is created with a key, receives what a stranger encrypts, and is opened by its owner alone, on ${device}`, async () => {
      await using owner = await openPage(site.browser, options);
      const ownerSent = recordRequests(owner.page);
      await signUpAs(owner.page, home(), `encrypted-${device.slice(2)}@example.org`);
      await owner.page.goto(`${home()}/requests`);
      await owner.page.getByLabel("What do you ask for?").fill("Medical records");
      await owner.page.getByLabel("Encrypt end to end").check();
      await owner.page.locator("#key-passphrase").fill(PASSPHRASE);
      await owner.page.locator("#key-repeat").fill("another passphrase");
      await owner.page.getByRole("button", { name: "Save the recovery file" }).and(owner.page.locator(":enabled")).waitFor();
      await assertAccessible(owner.page, "the choice of a key");
      await press(owner.page, "Create the link");
      await owner.page.locator("#save-error", { hasText: "Save the recovery file first." }).waitFor();
      await owner.page.getByRole("button", { name: "Save the recovery file" }).and(owner.page.locator(":focus")).waitFor();
      const recovery = await saveRecoveryFile(owner.page);
      const [identity = ""] = readIdentityFile(recovery);
      assert.match(identity, /^AGE-SECRET-KEY-1/);
      await press(owner.page, "Create the link");
      await owner.page.locator("#key-repeat:focus + #repeat-error", { hasText: "The passphrases differ." }).waitFor();
      await owner.page.getByLabel("Show the passphrases").check();
      await owner.page.locator("#key-repeat[type=text]").waitFor();
      await assertAccessible(owner.page, "a refused key");
      for (const field of ["#key-passphrase", "#key-repeat"]) await owner.page.locator(field).fill("");
      await press(owner.page, "Create the link");
      await owner.page.locator("#key-passphrase:focus + #passphrase-error", { hasText: "Choose the file that you saved" }).waitFor();
      for (const field of ["#key-passphrase", "#key-repeat"]) await owner.page.locator(field).fill(PASSPHRASE);
      await press(owner.page, "Create the link");
      await owner.page.getByText("The link is ready.").waitFor();
      const link = new URL((await owner.page.locator("#request-link").getAttribute("href")) ?? "");
      const recipient = /^# public key: (age1\w+)$/m.exec(recovery)?.[1];
      assert.equal(link.hash, `#to=${recipient}`);

      await using stranger = await openPage(site.browser, options);
      const { page } = stranger;
      const strangerSent = recordRequests(page);
      await page.goto(home() + link.pathname + link.hash);
      await page.getByText("can open the files and read their names; your name and note are not encrypted.").waitFor();
      await assertAccessible(page, "the page of an encrypted request");
      await page.setInputFiles("#file", [file("diagnosis.txt"), file("x-ray.txt")]);
      await press(page, "Send files");
      await page.getByRole("heading", { name: "You sent 2 files" }).waitFor();
      for (const _ of ["after sending", "after a reload"]) {
        await page.getByText("You see them because this device sent the files.").waitFor();
        await soon(async () => assert.deepEqual(await page.locator("#receipt .name").allTextContents(), ["diagnosis.txt", "x-ray.txt"]));
        await page.reload();
      }
      await page.getByRole("button", { name: "Remove x-ray.txt" }).waitFor();
      // The copied address has the key for sending more.
      await soon(async () => assert.equal((await page.locator("#receipt-link").textContent())?.trim(), page.url()));
      await page.getByRole("button", { name: "Copy link" }).waitFor();
      await assertAccessible(page, "the receipt of an encrypted request");
      await using elsewhere = await openPage(site.browser, options);
      await elsewhere.page.goto(page.url());
      await elsewhere.page.getByText("Only the device that sent the files can show them.").waitFor();
      await soon(async () =>
        assert.deepEqual(await elsewhere.page.locator("#receipt .name").allTextContents(), ["Encrypted file", "Encrypted file"]),
      );
      assert.doesNotMatch(strangerSent.join("\n"), /diagnosis|x-ray|plain words/);

      await owner.page.reload();
      await owner.page.getByText("Open the files with your passphrase or your recovery file.").waitFor();
      await assertAccessible(owner.page, "received encrypted files");
      for (const row of await owner.page.locator("[data-sealed]").all()) {
        await soon(async () => assert.match((await row.getAttribute("data-name")) ?? "", HIDDEN_NAME));
        await soon(async () => assert.equal((await row.locator(".name").textContent())?.trim(), "Encrypted file"));
      }
      await owner.page.locator("#open-passphrase").fill("a wrong passphrase");
      await press(owner.page, "Open");
      await owner.page.getByText("Wrong passphrase.").waitFor();
      const other = await createShareKey();
      await owner.page.setInputFiles("#open-file", { name: "k.txt", mimeType: "text/plain", buffer: Buffer.from(`${other.identity}\n`) });
      await owner.page.getByText("This file does not have the key").waitFor();
      await owner.page.locator("#open-passphrase").fill(PASSPHRASE);
      await press(owner.page, "Open");
      await owner.page.locator("[data-sealed] .name", { hasText: "diagnosis.txt" }).waitFor();
      assert.deepEqual(await save(owner.page, "diagnosis.txt"), { name: "diagnosis.txt", text: `${CONTENT} diagnosis.txt` });
      await owner.page.getByText("Decrypted. Your browser saves the file.").waitFor();
      await assertAccessible(owner.page, "decrypted names");

      await owner.page.reload();
      await owner.page.setInputFiles("#open-file", { name: "key.txt", mimeType: "text/plain", buffer: Buffer.from(recovery) });
      await owner.page.locator("[data-sealed] .name", { hasText: "x-ray.txt" }).waitFor();
      assert.deepEqual(await save(owner.page, "x-ray.txt"), { name: "x-ray.txt", text: `${CONTENT} x-ray.txt` });

      await owner.page.goto(`${home()}/requests`);
      await owner.page.locator("#new > summary").click();
      await owner.page.getByLabel("What do you ask for?").fill("More records");
      await owner.page.getByLabel("Encrypt end to end").check();
      await owner.page.getByText("Senders encrypt for your key age1").waitFor();
      await press(owner.page, "Create the link");
      await owner.page.getByText("The link is ready.").waitFor();
      await soon(async () => assert.equal(new URL((await owner.page.locator("#request-link").getAttribute("href")) ?? "").hash, link.hash));

      const secret = identity.slice("AGE-SECRET-KEY-1".length, 40);
      const sent = ownerSent.join("\n");
      assert.ok(!sent.toUpperCase().includes(secret));
      assert.doesNotMatch(sent, /a(?:\+|%20| )long(?:\+|%20| )passphrase/);
      const stored = await withDatabase(site.server, async (db) =>
        JSON.stringify([
          await db.selectFrom("files").selectAll().execute(),
          await db.selectFrom("requests").selectAll().execute(),
          await db.selectFrom("events").selectAll().execute(),
        ]),
      );
      assert.doesNotMatch(stored, /diagnosis|x-ray|AGE-SECRET-KEY|long passphrase/);
    });

  /** Opens the form of a new request, and asks for encryption. */
  async function askEncrypted(page: Page, title: string): Promise<void> {
    await page.goto(`${home()}/requests`);
    // The form of the first request is always open.
    const opener = page.locator("#new:not([open]) > summary");
    if ((await opener.count()) > 0) await opener.click();
    await page.getByLabel("What do you ask for?").fill(title);
    await page.getByLabel("Encrypt end to end").check();
  }

  const hashOf = async (page: Page): Promise<string> => {
    await page.getByText("The link is ready.").waitFor();
    return new URL((await page.locator("#request-link").getAttribute("href")) ?? "").hash;
  };

  test("shows the names of files of several chunks, saves their bytes, and passes the key of the link on to the receipt", async () => {
    await using owner = await openPage(site.browser);
    const { page } = owner;
    await signUpAs(page, home(), "large@example.org");
    await askEncrypted(page, "Photos");
    await page.getByRole("button", { name: "Save the recovery file" }).and(page.locator(":enabled")).waitFor();
    const recovery = await saveRecoveryFile(page);
    const file = { name: "k.txt", mimeType: "text/plain", buffer: Buffer.from(recovery) };
    await page.setInputFiles("#key-file", file);
    await page.locator("#own-key").getByText("Senders encrypt for your key age1").waitFor();
    await press(page, "Create the link");
    const hash = await hashOf(page);
    const link = new URL((await page.locator("#request-link").getAttribute("href")) ?? "");
    const contents = { "photo.raw": someBytes(400_000, 3), "long.raw": someBytes(1_400_000, 4) };

    await using stranger = await openPage(site.browser);
    await stranger.page.goto(home() + link.pathname + hash);
    await stranger.page.setInputFiles(
      "#file",
      Object.entries(contents).map(([name, bytes]) => ({ name, mimeType: "application/octet-stream", buffer: Buffer.from(bytes) })),
    );
    await press(stranger.page, "Send files");
    await stranger.page.getByRole("heading", { name: "You sent 2 files" }).waitFor();
    assert.equal(new URL(stranger.page.url()).hash, hash);
    const more = stranger.page.getByRole("link", { name: "Send more files" });
    await soon(async () => assert.equal(new URL((await more.getAttribute("href")) ?? "", home()).hash, hash));

    await page.reload();
    await page.setInputFiles("#open-file", file);
    for (const [name, bytes] of Object.entries(contents)) {
      await page.locator("[data-sealed] .name", { hasText: name }).waitFor();
      const [download] = await Promise.all([page.waitForEvent("download"), press(page, `Download ${name}`)]);
      assert.equal(download.suggestedFilename(), name);
      assert.deepEqual(await readFile(await download.path()), Buffer.from(bytes));
    }
    await soon(async () => assert.equal(await page.getByText("The file is damaged").count(), 0));
    assert.deepEqual(owner.complaints, []);
  });

  test("keeps the keys of earlier requests in the browser, and forgets them at sign-out only if asked to", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await signUpAs(page, home(), "two-keys@example.org");
    const create = async (title: string, passphrase: string): Promise<{ readonly url: string; readonly recovery: string }> => {
      await askEncrypted(page, title);
      const other = page.getByRole("button", { name: "Use another key" });
      await other.or(page.locator("#key-passphrase")).waitFor();
      if (await other.isVisible()) await other.click();
      await page.getByRole("button", { name: "Save the recovery file" }).and(page.locator(":enabled")).waitFor();
      for (const field of ["#key-passphrase", "#key-repeat"]) await page.locator(field).fill(passphrase);
      const recovery = await saveRecoveryFile(page);
      await press(page, "Create the link");
      await hashOf(page);
      return { url: page.url(), recovery };
    };
    const first = await create("First", PASSPHRASE);
    const second = await create("Second", "another long passphrase");
    // The first key is chosen again without a passphrase, which replaces nothing.
    await askEncrypted(page, "Third");
    await press(page, "Use another key");
    await page.setInputFiles("#key-file", { name: "k.txt", mimeType: "text/plain", buffer: Buffer.from(first.recovery) });
    await page.locator("#own-key").getByText("Senders encrypt for your key age1").waitFor();
    await press(page, "Create the link");
    await hashOf(page);
    const keys = (): Promise<readonly (readonly [string, boolean])[]> =>
      page.evaluate(() => {
        const kept = Object.keys(localStorage).find((name) => name.startsWith("filehost-keys-"));
        const { keys = {} } = JSON.parse(localStorage.getItem(kept ?? "") ?? "{}");
        return Object.entries(keys).map(([recipient, sealed]) => [recipient, typeof sealed === "string"] as const);
      });
    await soon(async () =>
      assert.deepEqual(
        (await keys()).toSorted(),
        [first, second].map(({ recovery }) => [/^# public key: (age1\w+)$/m.exec(recovery)?.[1], true]).toSorted(),
      ),
    );

    const signOut = async (choice: string): Promise<void> => {
      await page.goto(`${home()}/settings`, { waitUntil: "networkidle" });
      await press(page, "Sign out");
      const dialog = page.getByRole("dialog", { name: "Keep the keys on this device?" });
      await dialog.getByText("your 2 keys for encrypted requests").waitFor();
      await dialog.getByRole("button", { name: choice }).click();
      await page.waitForURL(`${home()}/`);
    };
    const signIn = async (): Promise<void> => {
      await page.goto(`${home()}/signin`);
      await fillSignIn(page, "two-keys@example.org");
      await page.waitForURL(`${home()}/`);
    };
    await signOut("Sign out, keep the keys");
    await soon(async () => assert.equal((await keys()).length, 2));
    await signIn();
    await signOut("Sign out and forget them");
    await soon(async () => assert.equal((await keys()).length, 0));
  });

  test("is not created by a form that asks for encryption without a key", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await signUpAs(page, home(), "no-key@example.org");
    await askEncrypted(page, "No key at all");
    await page.locator("input[name=encryptTo]").waitFor({ state: "attached" });
    // A script that sends the form itself passes by the choice of a key.
    await page.locator("form.request-form").evaluate((form) => HTMLFormElement.prototype.submit.call(form));
    await page.getByText("“Encrypt end to end”: choose your key again").waitFor();
    await soon(async () => assert.ok(await page.getByLabel("Encrypt end to end").isChecked()));
    assert.equal(
      await withDatabase(
        site.server,
        async (db) => (await db.selectFrom("requests").select("id").where("title", "=", "No key at all").execute()).length,
      ),
      0,
    );
  });

  test("sends nothing if the link has another key than the server names, also behind a code and in another language", async () => {
    const { key } = await addAccount(site.server);
    const { recipient } = await createShareKey();
    const other = (await createShareKey()).recipient;
    await using opened = await openPage(site.browser, { viewport: { width: 320, height: 640 } });
    const { page } = opened;
    const encrypted = await createFileRequest(site.server, key, { encryptTo: recipient });
    const plain = await createFileRequest(site.server, key);
    for (const [request, fragment, text] of [
      [encrypted, `#to=${other}`, "This server names another key than your link."],
      [plain, `#to=${recipient}`, "This server names another key than your link."],
      [encrypted, `#to=${recipient.slice(0, -2)}`, "The key in the link is incomplete."],
    ] as const) {
      await page.goto("about:blank");
      await page.goto(`${home()}/r/${tokenOf(request)}${fragment}`);
      await page.getByText(text).waitFor();
      await soon(async () => assert.equal(await page.locator("#file").count(), 0));
      await assertAccessible(page, text);
    }
    await page.getByRole("link", { name: "Deutsch" }).click();
    await page.getByText("Der Schlüssel im Link ist unvollständig.").waitFor();
    const locked = await createFileRequest(site.server, key, { encryptTo: recipient, protect: true });
    await page.goto(`${home()}/r/${tokenOf(locked)}?lang=en#to=${other}`);
    await page.locator("#unlock-code").fill(locked.unlockCode ?? "");
    await page.locator("form.unlock button").click();
    await page.locator("#request .problem").waitFor();
    await soon(async () => assert.equal(await page.locator("#file").count(), 0));
    assert.deepEqual((await getRequest(site.server, key, locked.id)).submissions, []);
  });

  test("shows a command to senders without scripts", async () => {
    const { key } = await addAccount(site.server);
    const { recipient } = await createShareKey();
    const request = await createFileRequest(site.server, key, { encryptTo: recipient });
    await using opened = await openPage(site.browser, { javaScriptEnabled: false, viewport: { width: 320, height: 640 } });
    await opened.page.goto(`${home()}/r/${tokenOf(request)}`);
    await opened.page.getByText("filehost up FILE --request").waitFor();
    await soon(async () => assert.equal(await opened.page.locator("input[type=file]").count(), 0));
  });
});
