import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { describeUnless } from "../../support/suite.ts";
import { until } from "../../support/until.ts";
import { accountMenu, homeOf, PERSONS_PASSWORD } from "../support/accounts/person.ts";
import { clientOf, upload } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { assertTrapped, focusOf, tabTo } from "../support/pages/keyboard.ts";
import { textFile } from "../support/pages/sending.ts";

/** pages, "The keyboard". */
describeUnless(browserMissing, "the keyboard alone", () => {
  const site = useBrowsedServer();
  const isFocused = (page: Page, name: string | RegExp) =>
    until(`the focus is on ${name}`, async () => {
      const focused = await focusOf(page);
      return (typeof name === "string" ? focused.name === name : name.test(focused.name)) && focused.problem === "";
    });
  const press = (page: Page, ...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

  test("signs in, uploads, shares, changes a link, deletes with undo, and asks for files", async () => {
    const person = { email: "ada@example.org", password: PERSONS_PASSWORD, name: "Ada Lovelace" };
    const { data } = await clientOf(site.server).call("signUp", person);
    const client = clientOf(site.server, { key: data.sessionToken });
    await using opened = await openPage(site.browser, { viewport: { width: 1280, height: 800 } });
    const { page } = opened;
    await page.goto(homeOf(site.server));
    await tabTo(page, "Sign in");
    await press(page, "Enter");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await tabTo(page, "Email address or username");
    await page.keyboard.type(person.email);
    await tabTo(page, "Password");
    await page.keyboard.type(person.password);
    await press(page, "Enter");
    await accountMenu(page).waitFor();

    await tabTo(page, "Files");
    await press(page, "Enter");
    await page.getByText("No files yet").waitFor();
    // The list of the script: that of the HTML has a form in its place.
    await page.getByRole("button", { name: "New folder", exact: true }).waitFor();
    await tabTo(page, "New folder");
    await press(page, "Enter");
    await isFocused(page, "Name of the folder");
    await assertTrapped(page);
    await press(page, "Escape");
    await isFocused(page, "New folder");
    const choosing = page.waitForEvent("filechooser");
    await tabTo(page, "Upload", "Shift+Tab");
    await press(page, "Enter");
    await (await choosing).setFiles(["a.txt", "b.txt"].map(textFile));
    await page.getByText("Uploaded 2 files.").first().waitFor();

    await tabTo(page, /^TXT/);
    await press(page, "ArrowUp");
    await tabTo(page, "Name", "ArrowRight");
    await press(page, "Enter");
    await page.waitForURL(/sort=name/);
    await tabTo(page, /^TXT ?a\.txt/);
    await press(page, "Shift+ArrowDown");
    await page.getByText("2 selected").waitFor();
    await tabTo(page, "Share", "Shift+Tab");
    await press(page, "Enter");
    const dialog = page.getByRole("dialog");
    await isFocused(page, "Title for the recipients");
    await page.keyboard.type("Summer");
    await press(page, "Enter");
    await page.locator("#link").waitFor();
    await assertTrapped(page);
    await press(page, "Escape");
    await dialog.waitFor({ state: "detached" });
    await isFocused(page, /b\.txt/);
    await press(page, "Enter");
    await dialog.getByRole("heading", { name: "Settings of the link" }).waitFor();
    await tabTo(page, "Title");
    await page.keyboard.type("For Monday");
    await press(page, "Escape");
    await dialog.waitFor({ state: "detached" });
    await isFocused(page, /b\.txt/);
    await until("what was typed is saved", async () =>
      (await client.call("listShares", {})).data.some(({ title }) => title === "For Monday"),
    );

    await press(page, "Escape", "Delete");
    await page.getByRole("dialog", { name: "Delete “b.txt”?" }).waitFor();
    await tabTo(page, "Delete");
    await press(page, "Enter");
    await isFocused(page, /a\.txt/);
    await tabTo(page, "Undo");
    await press(page, "Enter");
    await page.getByRole("link", { name: "b.txt", exact: true }).waitFor();

    await page.goto(`${homeOf(site.server)}/requests`);
    await tabTo(page, "What do you ask for?");
    await page.keyboard.type("Photos of the party");
    await press(page, "Enter");
    await page.getByText("The link is ready.").waitFor();
    await tabTo(page, "Copy link");
    assert.equal((await client.call("listRequests", {})).data.length, 1);
    assert.deepEqual(opened.complaints, []);
  });

  test("opens and leaves the details of a file in front of the list on a narrow window, and moves it to a folder", async () => {
    const person = { email: "bo@example.org", password: PERSONS_PASSWORD, name: "Bo" };
    const { data } = await clientOf(site.server).call("signUp", person);
    const client = clientOf(site.server, { key: data.sessionToken });
    for (const name of ["a.txt", "b.txt"]) await upload(site.server, { name, bytes: name }, { key: data.sessionToken });
    await client.call("createFolder", { name: "Letters" });
    await using opened = await openPage(site.browser, { viewport: { width: 800, height: 800 } });
    const { page } = opened;
    await page.context().addCookies([{ name: "session", value: data.sessionToken, url: homeOf(site.server) }]);
    await page.goto(`${homeOf(site.server)}/files`);
    await tabTo(page, /Letters/);
    await press(page, "ArrowDown", "Enter");
    const drawer = page.getByRole("dialog", { name: "Details of b.txt" });
    await drawer.getByRole("heading", { name: "Settings of the link" }).waitFor();
    await assertTrapped(page);
    await press(page, "Escape");
    await drawer.waitFor({ state: "detached" });
    await isFocused(page, /b\.txt/);

    await press(page, "Space");
    await tabTo(page, "Share", "Shift+Tab");
    await tabTo(page, "Move", "ArrowRight");
    await press(page, "Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Letters" }).waitFor();
    await assertTrapped(page);
    await tabTo(page, "Letters");
    await press(page, "Enter");
    await tabTo(page, "Move here");
    await press(page, "Enter");
    await page
      .getByText(/^Moved “.+”\.$/)
      .first()
      .waitFor();
    // The button that opened the dialog is gone.
    await isFocused(page, /a\.txt|Letters/);
    assert.deepEqual(opened.complaints, []);
  });
});
