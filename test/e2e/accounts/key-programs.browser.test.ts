import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { homeOf, signUpAs } from "../support/accounts/person.ts";
import { getShare } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";

/** A `.sxcu` file, as ShareX reads it: https://getsharex.com/docs/custom-uploader */
interface Uploader {
  readonly Version: string;
  readonly DestinationType: string;
  readonly RequestMethod: string;
  readonly RequestURL: string;
  readonly Headers: Readonly<Record<string, string>>;
  readonly Body: string;
  readonly FileFormName: string;
  readonly URL: string;
  readonly DeletionURL: string;
  readonly ErrorMessage: string;
}

/** Fills ShareX's `{json:path}` with values of a response. */
function fill(template: string, response: unknown): string {
  return template.replace(/\{json:([\w.]+)\}/g, (_, path: string) =>
    String(path.split(".").reduce<unknown>((value, name) => (value as Readonly<Record<string, unknown>>)[name], response)),
  );
}

/** Sends a file as ShareX does by such a file. */
async function sendAs(uploader: Uploader, file: File): Promise<{ readonly status: number; readonly body: unknown }> {
  assert.equal(uploader.Body, "MultipartFormData");
  const form = new FormData();
  form.append(uploader.FileFormName, file);
  const response = await fetch(uploader.RequestURL, {
    method: uploader.RequestMethod,
    headers: { "user-agent": "ShareX/17.1.0", ...uploader.Headers },
    body: form,
  });
  return { status: response.status, body: await response.json() };
}

/** curl, "ShareX" and "Shortcuts on iPhone and iPad". */
describeUnless(browserMissing, "a new key for programs that upload", () => {
  const site = useBrowsedServer({ FILEHOST_LIMITS: '{"rates":{"signUps":100}}' });
  const home = (): string => homeOf(site.server);
  const submit = async (page: Page): Promise<void> => {
    await page.locator("input[name=label]").fill("Screenshots");
    await page.locator("form:has(input[name=label]) button[type=submit]").click();
    await page.locator("#key").waitFor();
  };
  const create = async (page: Page, email: string): Promise<void> => {
    await signUpAs(page, home(), email);
    await page.goto(`${home()}/settings/keys`);
    await submit(page);
  };
  const textOf = async (page: Page, selector: string) => ((await page.locator(selector).textContent()) ?? "").trim();

  for (const [language, button] of [
    ["en", "Download file for ShareX"],
    ["de", "Datei für ShareX herunterladen"],
    ["fr", "Télécharger le fichier pour ShareX"],
  ] as const) {
    test(`gives ShareX a file with which it uploads, links and finds the file in its list, in ${language}, without scripts`, async () => {
      await using opened = await openPage(site.browser, { javaScriptEnabled: false });
      const { page } = opened;
      await signUpAs(page, home(), `sharex-${language}@example.org`);
      await page.context().setExtraHTTPHeaders({ "accept-language": language });
      await page.goto(`${home()}/settings/keys`);
      await soon(async () => assert.equal(await page.locator("#sharex").count(), 0));
      await submit(page);
      await page.locator("#sharex summary").click();
      const [downloading] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: button }).click()]);
      assert.equal(downloading.suggestedFilename(), "localhost.sxcu");
      const uploader = JSON.parse(await readFile(await downloading.path(), "utf8")) as Uploader;
      assert.equal(uploader.DestinationType, "ImageUploader, TextUploader, FileUploader");

      const { status, body } = await sendAs(uploader, new File(["a screenshot"], "Screenshot 1.png", { type: "image/png" }));
      assert.equal(status, 200, JSON.stringify(body));
      const link = fill(uploader.URL, body);
      assert.match(link, /^http:\/\/localhost:\d+\/d\/\w{8}$/);
      assert.equal((await getShare(site.server, link.slice(-8))).name, "Screenshot 1.png");
      await page.goto(fill(uploader.DeletionURL, body));
      await page.getByRole("link", { name: "Screenshot 1.png", exact: true }).waitFor();
      assert.deepEqual(opened.complaints, []);
    });
  }

  test("makes ShareX show why the server refused a file", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await create(page, "sharex-refused@example.org");
    const href = (await page.locator("#sharex a").getAttribute("href")) ?? "";
    const uploader = JSON.parse(decodeURIComponent(href.slice(href.indexOf(",") + 1))) as Uploader;
    await page.goto(`${home()}/settings/keys`);
    await page.locator("summary", { hasText: "Revoke" }).click();
    await page.getByRole("button", { name: "Revoke key", exact: true }).click();
    await page.getByText("No keys yet").waitFor();
    const { status, body } = await sendAs(uploader, new File(["late"], "late.png"));
    assert.equal(status, 401);
    assert.match(fill(uploader.ErrorMessage, body), /not valid|revoked/i);
  });

  test("lists steps for a shortcut, whose request returns the link as text", async () => {
    await using opened = await openPage(site.browser, { viewport: { width: 390, height: 844 }, hasTouch: true });
    const { page } = opened;
    await create(page, "shortcut@example.org");
    await page.locator("#shortcut summary").click();
    await soon(async () => assert.equal(await page.locator("#shortcut li").count(), 6));
    const form = new FormData();
    form.append("file", new File(["a photo"], "IMG_0001.jpeg", { type: "image/jpeg" }));
    const response = await fetch(await textOf(page, "#shortcut-address"), {
      method: "POST",
      headers: {
        authorization: await textOf(page, "#shortcut-header"),
        accept: "*/*",
        "user-agent": "BackgroundShortcutRunner/3607 CFNetwork/3826 Darwin/25.0.0",
      },
      body: form,
    });
    assert.equal(response.status, 200);
    assert.match(await response.text(), /^http:\/\/localhost:\d+\/d\/\w{8}\n$/);
    assert.deepEqual(opened.complaints, []);
  });

  test("shows neither for a read-only key", async () => {
    await using opened = await openPage(site.browser);
    const { page } = opened;
    await signUpAs(page, home(), "reads@example.org");
    await page.goto(`${home()}/settings/keys`);
    await page.getByRole("radio", { name: /^Read files/ }).check();
    await submit(page);
    await soon(async () => assert.equal(await page.locator("#sharex, #shortcut").count(), 0));
  });
});
