import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** pages, "Languages". */
describe("languages of pages", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const open = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(server.url + path, { redirect: "manual", headers: { Accept: "text/html", ...headers } });
  const languageOf = async (response: Response): Promise<string | undefined> => /<html lang="(\w+)"/.exec(await response.text())?.[1];

  test("uses the language of the URL, then the cookie, then the browser", async () => {
    const german = { "Accept-Language": "de-CH, en;q=0.5" };
    assert.equal(await languageOf(await open("/")), "en");
    assert.equal(await languageOf(await open("/", german)), "de");
    assert.equal(await languageOf(await open("/", { ...german, Cookie: "a=b; lang=fr" })), "fr");
    assert.equal(await languageOf(await open("/?lang=en", { ...german, Cookie: "lang=fr" })), "en");
    assert.equal(await languageOf(await open("/?lang=xx", { Cookie: "lang=<b>" })), "en");
  });

  test("remembers the chosen language in a cookie, on error pages and redirects too", async () => {
    for (const path of ["/?lang=fr", "/d/nowhere1?lang=fr", "/d/nowhere1/unlock?lang=fr", "/share-target?lang=fr"]) {
      const { headers } = await open(path);
      assert.equal(headers.get("set-cookie"), "lang=fr; Path=/; Max-Age=31536000; SameSite=Lax; HttpOnly", path);
    }
    assert.equal((await open("/")).headers.get("set-cookie"), null);
    assert.equal((await open("/?lang=xx")).headers.get("set-cookie"), null);
  });

  test("leads from the share target, which only accepts forms, to the front page", async () => {
    const response = await open("/share-target?lang=de");
    assert.deepEqual([response.status, response.headers.get("location")], [302, "/"]);
  });

  test("links to the same page in the other languages", async () => {
    const html = await (await open("/d/nowhere1?a=%22%3E&lang=de")).text();
    assert.match(html, /href="\?a=%22%3E&amp;lang=fr"/);
    assert.match(html, /<a href="[^"]*" lang="de" hreflang="de" rel="nofollow" aria-current="true">Deutsch</);
  });
});
