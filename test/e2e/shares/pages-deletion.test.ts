import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { getShare, upload } from "../support/api/api.ts";
import { postForm } from "../support/pages/pages.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

const PAGE = { Accept: "text/html" };
const DELETION_URL = /<code id="deletion-url-[^"]+">([^<]+)<\/code>/;

/** sharing, "Deleting", for people: the link that the page of an anonymous upload shows. */
describe("the page of a deletion link", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  async function uploadByForm(): Promise<{ readonly path: string; readonly sharePath: string }> {
    const form = new FormData();
    form.set("file", new File(["bytes"], "<b>plan.txt"));
    const response = await fetch(`${server.url}/`, { method: "POST", headers: PAGE, body: form });
    assert.equal(response.status, 200);
    const html = await response.text();
    const sharePath = /href="[^"]*(\/d\/[^"]+)"/.exec(html)?.[1];
    const deletionUrl = DELETION_URL.exec(html)?.[1];
    assert.ok(sharePath && deletionUrl, html);
    return { path: new URL(deletionUrl).pathname, sharePath };
  }

  test("opening the page deletes nothing, confirming deletes the file, and then the link deletes nothing more", async () => {
    const { path, sharePath } = await uploadByForm();
    for (const method of ["GET", "HEAD", "GET"]) {
      const asked = await fetch(server.url + path, { method, headers: PAGE });
      assert.equal(asked.status, 200);
      assert.equal(asked.headers.get("referrer-policy"), "same-origin");
      if (method === "GET") assert.match(await asked.text(), /Delete this file\?.*&lt;b>plan/s);
    }
    assert.equal((await fetch(server.url + sharePath)).status, 200);
    const removed = await postForm(server, path, {});
    assert.equal(removed.status, 200);
    assert.match(removed.html, /File deleted/);
    assert.equal((await fetch(server.url + sharePath)).status, 404);
    for (const again of [await postForm(server, path, {}), await openPage(path)]) {
      assert.equal(again.status, 404);
      assert.match(again.html, /Nothing to delete/);
    }
  });

  test("wrong tokens, and tokens for a file with an owner, get the same response as an unknown file", async () => {
    const { path, sharePath } = await uploadByForm();
    const { key } = await addAccount(server);
    const owned = await upload(server, { bytes: "mine" }, { key });
    const [, , fileId = "", token = ""] = path.split("/");
    const wrong = [
      `/delete/${fileId}/${token}x`,
      `/delete/${fileId}/del_`,
      `/delete/${owned.id}/${token}`,
      `/delete/aaaaaaaaaaaaaaaa/${token}`,
    ];
    const responses: string[] = [];
    for (const address of wrong) {
      for (const response of [await openPage(address), await postForm(server, address, {})]) {
        assert.equal(response.status, 404, address);
        responses.push(response.html);
      }
    }
    assert.equal(new Set(responses).size, 1);
    assert.equal((await fetch(server.url + sharePath)).status, 200);
    await getShare(server, owned.shortId);
  });

  test("the page of another site cannot send its form", async () => {
    const { path, sharePath } = await uploadByForm();
    const refused = await postForm(server, path, {}, { Origin: "https://elsewhere.example", "Sec-Fetch-Site": "cross-site" });
    assert.equal(refused.status, 403);
    assert.equal((await fetch(server.url + sharePath)).status, 200);
  });

  test("the log contains no deletion token", async () => {
    const { path } = await uploadByForm();
    await openPage(path);
    const token = path.split("/").at(-1) ?? "";
    assert.ok(token.startsWith("del_"));
    assert.equal(server.logs().filter((line) => JSON.stringify(line).includes(token)).length, 0);
    assert.ok(server.logs().some(({ route }) => route === "/delete/:fileId/:token"));
  });

  async function openPage(path: string): Promise<{ readonly status: number; readonly html: string }> {
    const response = await fetch(server.url + path, { headers: PAGE });
    return { status: response.status, html: await response.text() };
  }
});
