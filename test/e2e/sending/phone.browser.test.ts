import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { browserMissing, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { homeOf, PERSONS_PASSWORD } from "../support/accounts/person.ts";
import { clientOf, listFiles, upload } from "../support/api/api.ts";
import { useBrowsedServer } from "../support/pages/browsed-server.ts";
import { DEVICES } from "../support/pages/devices.ts";
import { chooseView, isViewChosen } from "../support/pages/files.ts";
import { choose, textFile } from "../support/pages/sending.ts";

/** pages, "The files of an account"; requests, "The page of a link". */
describeUnless(browserMissing, "a phone", () => {
  const site = useBrowsedServer();
  const [, options] = DEVICES[0];

  async function open(name: string) {
    const person = { email: `${name}@example.org`, password: PERSONS_PASSWORD, name };
    const { data } = await clientOf(site.server).call("signUp", person);
    const opened = await openPage(site.browser, options);
    const home = homeOf(site.server);
    await opened.page.context().addCookies([{ name: "session", value: data.sessionToken, url: home }]);
    return { ...opened, home, key: data.sessionToken, client: clientOf(site.server, { key: data.sessionToken }) };
  }

  const tap = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).tap();

  test("shows the files as a grid, selects by touch, and deletes with undo", async () => {
    const opened = await open("ada");
    await using _ = opened;
    const { page, home, key } = opened;
    for (const name of ["a.txt", "b.txt"]) await upload(site.server, { name, bytes: name }, { key });
    await page.goto(`${home}/files`);
    await chooseView(page, "Grid");
    await page.getByRole("checkbox", { name: "Select a.txt", exact: true }).tap();
    await page.getByText("1 selected").waitFor();
    await tap(page, "Delete");
    await page.getByRole("link", { name: "a.txt", exact: true }).waitFor({ state: "detached" });
    await tap(page, "Undo");
    await page.getByRole("link", { name: "a.txt", exact: true }).waitFor();
    await soon(async () => assert.equal(await page.evaluate("document.documentElement.scrollWidth"), 390));
    await page.reload();
    assert.ok(await isViewChosen(page, "Grid"));
    await page.getByRole("link", { name: "b.txt", exact: true }).tap();
    await page.getByRole("dialog", { name: "Details of b.txt" }).waitFor();
    assert.deepEqual(opened.complaints, []);
  });

  test("has one row of tools above the files, opens a row by a tap anywhere on it, and selects with taps", async () => {
    const opened = await open("flo");
    await using _ = opened;
    const { page, home, key, client } = opened;
    for (const name of ["a.txt", "b.txt"]) await upload(site.server, { name, bytes: name }, { key });
    await client.call("createFolder", { name: "Letters" });
    await page.goto(`${home}/files`);
    const row = (name: string) => page.locator(".files-row").filter({ has: page.getByRole("link", { name, exact: true }) });
    const tools = ["View and order", "Add"].map((name) => page.getByRole("button", { name, exact: true }));
    const boxes = await Promise.all([page.getByRole("searchbox"), ...tools].map((tool) => tool.boundingBox()));
    assert.equal(new Set(boxes.map((box) => box?.y)).size, 1);
    const [search] = boxes;
    const first = await row("Letters").boundingBox();
    assert.ok(search && first && first.y - search.y < 1.5 * search.height);

    const aside = { position: { x: 240, y: 56 } };
    await row("a.txt").tap(aside);
    await page.getByRole("dialog", { name: "Details of a.txt" }).getByRole("button", { name: "Close" }).tap();
    await page.getByRole("checkbox", { name: "Select b.txt", exact: true }).tap();
    await row("a.txt").tap(aside);
    await page.getByText("2 selected").waitFor();
    await row("a.txt").tap(aside);
    await page.getByText("1 selected").waitFor();
    await tap(page, "Select all");
    await page.getByText("3 selected").waitFor();
    await tap(page, "Clear selection");
    await row("Letters").tap(aside);
    await page.getByText("This folder is empty").waitFor();
    await soon(async () => assert.equal(await page.getByRole("searchbox").count(), 0));
    await page.getByRole("button", { name: "New folder", exact: true }).waitFor();
    assert.deepEqual(opened.complaints, []);
  });

  test("uploads into the folder that it opened", async () => {
    const opened = await open("bo");
    await using _ = opened;
    const { page, home, key, client } = opened;
    const { id: folderId } = (await client.call("createFolder", { name: "Inbox" })).data;
    await page.goto(`${home}/files`);
    await page.getByRole("button", { name: "Add", exact: true }).waitFor();
    await page.getByRole("link", { name: "Inbox", exact: true }).tap();
    await page.getByRole("heading", { name: "Inbox" }).waitFor();
    await page.setInputFiles("#upload-files", ["one.txt", "two.txt"].map(textFile));
    await page.getByText("Uploaded 2 files.").first().waitFor();
    await page.getByRole("link", { name: "one.txt", exact: true }).waitFor();
    assert.equal((await listFiles(site.server, key, { folderId })).files.length, 2);
    assert.deepEqual(opened.complaints, []);
  });

  test("makes a protected request, whose code another phone enters", async () => {
    const opened = await open("cy");
    await using _ = opened;
    const { page, home, client } = opened;
    await page.goto(`${home}/requests`);
    await page.getByLabel("What do you ask for?").fill("Photos of the party");
    await page.locator("summary", { hasText: "Options" }).tap();
    await page.getByLabel("Require a code").tap();
    await tap(page, "Create the link");
    await page.getByText("The link is ready.").waitFor();
    const code = (await page.locator("#unlock-code").textContent()) ?? "";
    const link = new URL((await page.locator("#request-link").getAttribute("href")) ?? "");

    await using stranger = await openPage(site.browser, options);
    await stranger.page.goto(home + link.pathname);
    await stranger.page.getByLabel("Code").fill("AAAAAA");
    await tap(stranger.page, "Continue");
    await stranger.page.getByText("Wrong code.").waitFor();
    await stranger.page.getByLabel("Code").fill(code);
    await tap(stranger.page, "Continue");
    await stranger.page.getByText("Photos of the party").waitFor();
    await choose(stranger.page, "a.txt");
    await tap(stranger.page, "Send files");
    await stranger.page.getByRole("heading", { name: "You sent 1 file" }).waitFor();
    const [request] = (await client.call("listRequests", {})).data;
    assert.equal(request?.receivedFiles, 1);
    assert.deepEqual(
      [...opened.complaints, ...stranger.complaints].filter((text) => !/status of 40[13]/.test(text)),
      [],
    );
  });
});
