import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { homeOf } from "../support/accounts/person.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { startSession } from "../support/api/callers.ts";
import { assertAccessible } from "../support/pages/accessible.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES, tapOrClick } from "../support/pages/devices.ts";
import { pressAdd } from "../support/pages/files.ts";

/** pages, "Errors". */
describeUnless(browserMissing, "a field that the browser refuses", () => {
  const site = useBrowsedServer();

  /** Returns the label of the field that has the focus, and the sentence that describes it. */
  const focused = (page: Page): Promise<unknown> =>
    page.evaluate(`(() => {
      const field = document.activeElement;
      const [id] = (field.getAttribute("aria-describedby") ?? "").split(" ");
      return [field.name, field.getAttribute("aria-invalid"), document.getElementById(id)?.textContent];
    })()`);

  for (const [device, options] of DEVICES)
    test(`has a sentence below it until it is changed, on ${device}`, async () => {
      const { server, browser } = site;
      await using opened = await openPage(browser, options);
      const { page } = opened;
      await page.goto(`${homeOf(server)}/signup`);
      const submit = () => tapOrClick(page.locator("main form button[type=submit]").last(), options);
      const error = (field: string) => page.locator(`#${field}-error`);
      await submit();
      await error("name").getByText("Enter a name.").waitFor();
      await error("email").getByText("Enter an email address, such as ada@example.org.").waitFor();
      await soon(async () => assert.deepEqual(await focused(page), ["name", "true", "Enter a name."]));
      await assertAccessible(page, "wrong fields");
      await page.locator("input[name=name]").fill("Ada");
      await error("name").waitFor({ state: "detached" });
      await page.locator("input[name=email]").fill("ada");
      await page.locator("input[name=password]").fill("short");
      await submit();
      await error("email").getByText("Enter an email address, such as ada@example.org.").waitFor();
      await error("password")
        .getByText(/^Enter at least \d+\scharacters\.$/)
        .waitFor();
      await page.locator("input[name=email]").fill("ada@example.org");
      await page.locator("input[name=password]").fill("correct horse battery");
      await soon(async () => assert.equal(await page.locator(".field-error, [aria-invalid]").count(), 0));
      assert.deepEqual(opened.complaints, []);
    });

  test("is below the question of radio buttons, until one is chosen", async () => {
    const { server, browser } = site;
    const { shortId } = await upload(server, { bytes: "words" });
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.goto(`${homeOf(server)}/report/${shortId}`);
    await page.locator("main form button[type=submit]").click();
    await page.locator("fieldset > legend + .field-error").getByText("Choose one.").waitFor();
    await soon(async () => assert.deepEqual(await focused(page), ["reason", "true", "Choose one."]));
    await soon(async () => assert.equal(await page.locator(".field-error").count(), 1));
    await assertAccessible(page, "a question without an answer");
    await page.getByRole("radio").last().check();
    await soon(async () => assert.equal(await page.locator(".field-error, [aria-invalid]").count(), 0));
  });

  test("is described in the language of the page", async () => {
    const { server, browser } = site;
    const account = await addAccount(server);
    await using opened = await openPage(browser);
    const { page } = opened;
    await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
    await page.goto(`${homeOf(server)}/settings?lang=de`);
    const name = page.locator("main input[required]").first();
    await name.fill("");
    await name.press("Enter");
    await page.getByText("Geben Sie einen Namen ein.").waitFor();
    assert.deepEqual(opened.complaints, []);
  });

  test("has no bubble of the browser on any page with a form", async () => {
    const { server, browser } = site;
    const account = await addAccount(server);
    const { requestUrl } = (await clientOf(server, { key: account.key }).call("createRequest", { title: "Photos" })).data;
    const { shortId } = await upload(server, { name: "a.txt", bytes: "a" }, { key: account.key });
    await using opened = await openPage(browser);
    const { page } = opened;
    const isPrevented = `!document.body.appendChild(document.createElement("input")).dispatchEvent(new Event("invalid", { cancelable: true }))`;
    const visit = async (paths: readonly string[]) => {
      for (const path of paths) {
        await page.goto(homeOf(server) + path);
        await until(`no bubble on ${path}`, () => page.evaluate<boolean>(isPrevented));
      }
    };
    await visit(["/", "/signin", "/signup", `/d/${shortId}`, `/report/${shortId}`, new URL(requestUrl).pathname, "/docs"]);
    await page.context().addCookies([{ name: "session", value: await startSession(server, account), url: homeOf(server) }]);
    await visit(["/", "/files", "/files/runs", "/shares", `/shares/${shortId}/downloads`, "/requests", "/notices", "/settings"]);
    await page.goto(`${homeOf(server)}/files`);
    await pressAdd(page, "New folder");
    await page.getByRole("dialog").getByRole("textbox").press("Enter");
    await page.getByRole("dialog").getByText("Enter a name.").waitFor();
    await soon(async () => assert.deepEqual(await focused(page), ["name", "true", "Enter a name."]));
    await page.keyboard.type("Letters");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Letters", exact: true }).waitFor();
    assert.deepEqual(opened.complaints, []);
  });
});
