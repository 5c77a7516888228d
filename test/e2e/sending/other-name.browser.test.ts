import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import axe from "axe-core";
import type { Browser } from "playwright-core";
import { browserMissing, launchBrowser, openPage } from "../../support/browser/browser.ts";
import { soon } from "../../support/soon.ts";
import { describeUnless } from "../../support/suite.ts";
import { clientOf } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { withDatabase } from "../support/servers/state.ts";

const NAME = "nas.lan";

/** pages, "Another name"; addresses, "Other sites". */
describeUnless(browserMissing, "a site that is open under another name", () => {
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser({ hosts: [NAME] });
  });
  after(() => browser?.close());

  test("names its address and links to the same page there", async () => {
    await using server = await startPlainServer({ FILEHOST_URL: "https://files.example.org" });
    await using opened = await openPage(browser);
    await opened.page.goto(`${server.url.replace("127.0.0.1", NAME).replace("localhost", NAME)}/?lang=en`);
    const banner = opened.page.locator(".banner");
    await banner.waitFor({ state: "visible" });
    await soon(async () =>
      assert.match((await banner.textContent()) ?? "", /This site has another address\. Links use: https:\/\/files\.example\.org/),
    );
    await soon(async () => assert.equal(await banner.locator("a").getAttribute("href"), "https://files.example.org/?lang=en"));
    await opened.page.evaluate(axe.source);
    const violations = "axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id }) => id))";
    await soon(async () => assert.deepEqual(await opened.page.evaluate(violations), []));
  });

  test("says that links work only on the server if the site has no address", async () => {
    await using server = await startPlainServer();
    const { port } = new URL(server.url);
    await using opened = await openPage(browser);
    await opened.page.goto(`http://${NAME}:${port}/`);
    const banner = opened.page.locator(".banner");
    await banner.waitFor({ state: "visible" });
    await soon(async () => assert.match((await banner.textContent()) ?? "", /only work on the server itself/));
    await opened.page.goto(`http://127.0.0.1:${port}/`);
    await opened.page.locator("h1").waitFor();
    await soon(async () => assert.equal(await banner.isVisible(), false));
  });

  for (const [address, env] of [
    ["an address with TLS", { FILEHOST_URL: "https://files.example.org" }],
    ["no address", {}],
  ] as const)
    test(`signs nobody in under another name if it has ${address}, and names the address`, async () => {
      await using server = await startPlainServer(env);
      const { port } = new URL(server.url);
      const siteUrl = "FILEHOST_URL" in env ? env.FILEHOST_URL : `http://localhost:${port}`;
      const person = { email: "ada@example.org", name: "Ada", password: "correct horse battery" };
      await clientOf(server).call("signUp", person);
      const invite = new URL((await server.run(["invites", "create"])).stdout.trim());
      await using opened = await openPage(browser);
      const { page } = opened;
      const sessions = () => withDatabase(server, (db) => db.selectFrom("sessions").select("id").execute());
      const before = await sessions();
      for (const [path, fields] of [
        ["/signin?next=%2Fshares", { login: person.email, password: person.password }],
        ["/signup", { ...person, email: "grace@example.org" }],
        [invite.pathname, { ...person, email: "joan@example.org" }],
      ] as const) {
        await page.goto(`http://${NAME}:${port}${path}`);
        await soon(async () => assert.equal(await page.locator(".banner a").getAttribute("href"), siteUrl + path));
        for (const [name, value] of Object.entries(fields)) await page.fill(`main [name=${name}]`, value);
        await page.locator("main form").first().locator("button[type=submit], button:not([type])").first().click();
        await page.getByRole("heading", { name: "Open this page at its own address" }).waitFor();
        await soon(async () => assert.equal(await page.locator("main a.button").getAttribute("href"), siteUrl));
      }
      for (const path of ["/signin/code", "/signin/passkey", "/verify/nothing"]) {
        const headers = { Origin: `http://${NAME}:${port}`, "Sec-Fetch-Site": "same-origin", Accept: "text/html" };
        const response = await fetch(server.url + path, { method: "POST", headers, body: new URLSearchParams({ password: "x" }) });
        assert.deepEqual([response.status, response.headers.get("set-cookie")], [403, null], path);
        assert.ok((await response.text()).includes(siteUrl), path);
      }
      assert.deepEqual(await sessions(), before);
      // The time zone is not a person's.
      assert.deepEqual(
        (await page.context().cookies()).map(({ name }) => name).filter((name) => name !== "timezone"),
        [],
      );
    });

  test("accepts requests of its pages, and refuses those of other sites, without TLS", async () => {
    await using server = await startPlainServer();
    const { port } = new URL(server.url);
    await using opened = await openPage(browser);
    const upload = async (pageUrl: string): Promise<number> => {
      await opened.page.goto(pageUrl);
      return await opened.page.evaluate(async (url) => {
        const form = new FormData();
        form.append("file", new File(["bytes"], "a.txt"));
        const response = await fetch(`${url}/api/files/upload`, { method: "POST", body: form });
        return response.status;
      }, `http://${NAME}:${port}`);
    };
    assert.equal(await upload(`http://${NAME}:${port}/`), 200);
    const foreign = { method: "PUT", body: "bytes", headers: { Origin: "http://other.lan", Host: `${NAME}:${port}` } };
    assert.equal((await fetch(`${server.url}/a.txt`, foreign)).status, 403);
  });
});
