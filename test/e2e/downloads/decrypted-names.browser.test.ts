import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { after, before, test } from "node:test";
import { toDecryptedName } from "../../../src/transfer/encryption/decrypted-name.ts";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { DECRYPTED_NAMES } from "../../support/decrypted-names.ts";
import { describeUnless } from "../../support/suite.ts";
import { type ClientDevice, makeDevice } from "../support/client/client-device.ts";
import { unpackDownload } from "../support/encryption/saved-files.ts";
import { useSealingSite } from "../support/encryption/sealing-site.ts";

/** The cases without those that are saved under the same name, which then has a number. */
const CASES = [...new Map(DECRYPTED_NAMES.map(([name, saved]) => [saved, name]))].map(([saved, name]) => ({ name, saved }));

/** encryption, "Names of decrypted files". */
describeUnless(browserMissing, "files with hidden names", () => {
  const site = useSealingSite();
  let device: ClientDevice;
  let link: string;
  before(async () => {
    device = await makeDevice({ FILEHOST_SERVER: site.server.url });
    link = await site.sender.sendSeveral(Object.fromEntries(CASES.map(({ name, saved }) => [name, Buffer.from(saved)])));
  });
  after(() => device?.[Symbol.asyncDispose]());

  const expected = CASES.map(({ saved }) => saved).toSorted();
  const down = async (args: readonly string[]): Promise<void> => {
    const { code, stderr } = await device.run(["down", ...args]);
    assert.equal(code, 0, stderr);
  };

  test("have the same paths in the ZIP of the page and in the folder of the client", async () => {
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    await page.goto(link);
    const all = page.getByRole("button", { name: /^Download all/ }).and(page.locator("[data-decrypt]"));
    const [download] = await Promise.all([page.waitForEvent("download"), all.click()]);
    const zipped = await unpackDownload(download);
    assert.deepEqual(Object.keys(zipped).toSorted(), expected);
    for (const [path, bytes] of Object.entries(zipped)) assert.equal(bytes.toString(), path);
    await down([link, "-o", "all"]);
    const entries = await readdir(join(device.path, "all"), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    assert.deepEqual(files.map((path) => relative(join(device.path, "all"), path)).toSorted(), expected);
    assert.deepEqual(complaints, []);
  });

  test("have the same names if each is saved alone by the page and by the client", async () => {
    await using opened = await openPage(site.browser);
    const { page, complaints } = opened;
    await page.goto(link);
    await page.waitForFunction((count) => document.querySelectorAll("#entries [data-path]").length === count, CASES.length);
    const names = new Map<string, string>();
    for (const button of await page.locator("#entries .get").all()) {
      const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
      names.set(await readFile(await download.path(), "utf8"), download.suggestedFilename());
      await button.and(page.locator(":enabled")).waitFor();
    }

    for (const { name, saved } of CASES) assert.equal(names.get(saved), toDecryptedName(name), JSON.stringify(name));
    for (const [index, name] of ["", "..", "a:b", "CON", ".bashrc", "project/.gitignore"].entries()) {
      await down([await site.sender.sendOne(name, Buffer.from("words")), "-o", `alone-${index}/`]);
      assert.deepEqual(await readdir(join(device.path, `alone-${index}`)), [toDecryptedName(name)]);
    }
    assert.deepEqual(complaints, []);
  });
});
