import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { createShareKey } from "../../../src/transfer/encryption/share-key.ts";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { postUpload } from "../support/api/api.ts";
import { encryptFor } from "../support/encryption/sealed-files.ts";
import { useSealingSite } from "../support/encryption/sealing-site.ts";
import { DEVICES } from "../support/pages/devices.ts";

const FILES = { "trip/a.bin": Buffer.from([0, 1, 2]), "trip/b.bin": Buffer.from([0, 3, 4]) };

/** The labels of the visible buttons that are filled with the accent. */
const filledButtons = (page: Page): Promise<readonly string[]> =>
  page
    .locator("main .button:not(.plain, .small)")
    .filter({ visible: true })
    .evaluateAll((buttons) => buttons.map((button) => (button.textContent ?? "").trim()));

/** encryption, "On the page". */
describeUnless(browserMissing, "the form for the key of encrypted files", () => {
  const site = useSealingSite();
  const withoutKey = (link: string): string => link.replace(/#.*/, "");

  for (const [device, options] of DEVICES) {
    test(`is the one main action until a key fits, and goes away with it, on ${device}`, async () => {
      for (const { link, title, main } of [
        { link: await site.sender.sendSeveral(FILES, { title: "Trip to Rome" }), title: "Trip to Rome", main: /^Download all/ },
        { link: await site.sender.sendSeveral(FILES), title: "trip", main: /^Download all/ },
        { link: await site.sender.sendOne("report.bin", FILES["trip/a.bin"]), title: "report.bin", main: /^Decrypt and download/ },
      ]) {
        await using opened = await openPage(site.browser, options);
        const { page, complaints } = opened;
        await page.goto(withoutKey(link));
        const field = page.getByLabel("Passphrase or key");
        const decrypt = page.getByRole("button", { name: "Decrypt", exact: true });
        await decrypt.waitFor();
        await soon(async () => assert.deepEqual(await filledButtons(page), ["Decrypt"]));
        await soon(async () =>
          assert.match(
            (await page.getByRole("button", { name: "Download encrypted", exact: true }).getAttribute("class")) ?? "",
            /\bplain$/,
          ),
        );
        await soon(async () => assert.equal(await page.locator("#listing").isVisible(), false, "the rows have no names"));
        await soon(async () => assert.doesNotMatch((await page.locator(".facts-line").textContent()) ?? "", /TAR\.AGE/i));
        const [box, button] = [await field.boundingBox(), await decrypt.boundingBox()];
        assert.ok(box && button);
        if (device === "a phone") assert.ok(button.y > box.y && Math.abs(button.width - box.width) < 2);
        else assert.ok(button.x > box.x + box.width && Math.abs(button.y + button.height / 2 - box.y - box.height / 2) < 2);

        await decrypt.click();
        await page.getByText("Enter the passphrase or the key first.").first().waitFor();
        await field.fill((await createShareKey()).identity);
        await decrypt.click();
        const problem = page.locator("#decryption-problem");
        await problem.getByText("This passphrase or key does not fit.").waitFor();
        await soon(async () => assert.equal(await field.getAttribute("aria-invalid"), "true"));
        await soon(async () => assert.equal(await page.locator("main .problem").filter({ visible: true }).count(), 0));
        await soon(async () => assert.equal(await problem.evaluate((line) => getComputedStyle(line).backgroundColor), "rgba(0, 0, 0, 0)"));

        await field.fill(site.sender.key.identity);
        await soon(async () => assert.ok(await problem.isHidden()));
        await field.press("Enter");
        await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
        await field.waitFor({ state: "detached" });
        await soon(async () => assert.equal(await page.getByRole("heading").filter({ visible: true }).count(), 1));
        await soon(async () => {
          const [label = "", ...others] = await filledButtons(page);
          assert.match(label, main);
          assert.deepEqual(others, []);
        });
        assert.deepEqual(complaints, []);
      }
    });

    test(`shows and hides the key and the password of a share, on ${device}`, async () => {
      const fields = { password: "correct horse battery" };
      const { body } = await postUpload(site.server, { bytes: Buffer.from("words"), name: "words.txt", fields });
      for (const [link, label] of [
        [withoutKey(await site.sender.sendSeveral(FILES)), "Passphrase or key"],
        [`${site.server.url}/d/${body.data.shortId}`, "Password"],
      ] as const) {
        await using opened = await openPage(site.browser, options);
        const { page, complaints } = opened;
        await page.goto(link);
        const field = page.getByLabel(label, { exact: true });
        await field.fill("correct horse battery");
        await soon(async () => assert.equal(await field.getAttribute("type"), "password"));
        await page.getByRole("button", { name: "Show password" }).click();
        await soon(async () => assert.equal(await field.getAttribute("type"), "text"));
        await page.getByRole("button", { name: "Hide password" }).click();
        await soon(async () => assert.equal(await field.getAttribute("type"), "password"));
        assert.deepEqual(complaints, []);
      }
    });
  }

  test("comes back for a file of another key", async () => {
    const other = await createShareKey();
    const seal = async (recipient: string, name: string) => ({
      relativePath: `${name}.age`,
      bytes: await encryptFor(recipient, Buffer.from(name)),
    });
    const link = await site.sender.sendFiles([await seal(site.sender.key.recipient, "a.txt"), await seal(other.recipient, "b.txt")]);
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    await page.goto(link);
    const save = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: new RegExp(`^Download ${name}`) }).click(),
      ]);
      return await readFile(await download.path(), "utf8");
    };
    assert.equal(await save("a.txt"), "a.txt");
    await page.getByRole("button", { name: /^Download b.txt/ }).click();
    await page.locator("#decryption-problem").getByText("does not match this file").waitFor();
    await page.getByLabel("Passphrase or key").fill(other.identity);
    assert.equal(await save("b.txt"), "b.txt");
    await page.getByLabel("Passphrase or key").waitFor({ state: "detached" });
    assert.deepEqual(complaints, []);
  });

  test("replaces a key of the link that does not fit", async () => {
    const link = await site.sender.sendSeveral(FILES);
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    await page.goto(link.replace(/#.*/, `#key=${(await createShareKey()).identity}`));
    await page.locator("#decryption-problem").getByText("The key in the link does not fit.").waitFor();
    await page.getByLabel("Passphrase or key").fill(link);
    await page.getByRole("button", { name: "Decrypt", exact: true }).click();
    await page.getByRole("heading", { level: 1, name: "trip", exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });
});
