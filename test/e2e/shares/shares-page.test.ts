import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { addAccount } from "../support/accounts/accounts.ts";
import { type ServerWithSession, startRootApiServer } from "../support/accounts/person.ts";
import { clientOf, upload } from "../support/api/api.ts";

/** pages, "The list of shares"; addresses, "Base addresses". */
describe("the pages of an account's shares", () => {
  let server: ServerWithSession;
  let session: string;
  before(async () => {
    server = await startRootApiServer();
    ({ session } = server);
  });
  after(() => server?.[Symbol.asyncDispose]());

  const ask = (path: string, headers: Record<string, string> = {}, method = "GET") =>
    fetch(server.url + path, { method, redirect: "manual", headers: { Accept: "text/html", Cookie: `session=${session}`, ...headers } });

  test("have the same paths as the operations", async () => {
    const page = await ask("/shares");
    assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
    const { body } = { body: (await (await ask("/shares", { Accept: "application/json" })).json()) as object };
    assert.deepEqual(body, { success: true, data: [], nextCursor: null });
    const { shortId } = await upload(server, { bytes: "x" }, { key: session });
    assert.match(await (await ask(`/shares/${shortId}/close`)).text(), /Delete this share\?/);
    const headers = { Origin: `http://localhost:${new URL(server.url).port}` };
    const closed = await ask(`/shares/${shortId}/close`, headers, "POST");
    assert.deepEqual([closed.status, closed.headers.get("location")], [303, "/shares?done=closed"]);
    assert.equal((await ask("/shares", {}, "DELETE")).status, 405);
  });

  test("ask a person without a session to sign in first", async () => {
    for (const path of ["/shares?state=ended", "/shares/abcdefgh/close", "/shares/abcdefgh/downloads"]) {
      const { status, headers } = await ask(path, { Cookie: "" });
      assert.deepEqual([status, headers.get("location")], [303, `/signin?next=${encodeURIComponent(path)}`]);
    }
  });

  test("do not show, close or extend another account's share", async () => {
    const { shortId } = await upload(server, { bytes: "x", name: "private-name.txt" }, await addAccount(server));
    const headers = { Origin: `http://localhost:${new URL(server.url).port}`, "Content-Type": "application/x-www-form-urlencoded" };
    const extended = await fetch(`${server.url}/shares/extend`, {
      method: "POST",
      headers: { ...headers, Accept: "text/html", Cookie: `session=${session}` },
      body: `shortId=${shortId}&days=7`,
    });
    const responses = [
      extended,
      await ask(`/shares/${shortId}/close`),
      await ask(`/shares/${shortId}/close`, headers, "POST"),
      await ask(`/shares/${shortId}/downloads`),
    ];
    for (const response of responses) {
      assert.equal(response.status, 404);
      assert.doesNotMatch(await response.text(), /private-name/);
    }
  });

  test("change the notices about a share", async () => {
    const { shortId } = await upload(server, { bytes: "x" }, { key: session });
    const origin = `http://localhost:${new URL(server.url).port}`;
    const headers = { Accept: "text/html", Cookie: `session=${session}`, Origin: origin };
    for (const [choice, notify] of [
      ["true", true],
      ["false", false],
      ["", null],
    ] as const) {
      const body = new URLSearchParams({ notify: choice });
      const saved = await fetch(`${server.url}/shares/${shortId}/downloads`, { method: "POST", redirect: "manual", headers, body });
      assert.deepEqual([saved.status, saved.headers.get("location")], [303, `/shares/${shortId}/downloads?done=notify`]);
      const { data } = await clientOf(server, { key: session }).call("listShares", {});
      assert.equal(data.find((share) => share.shortId === shortId)?.notify, notify);
    }
  });

  test("refuse forms of other sites", async () => {
    const { shortId } = await upload(server, { bytes: "x" }, { key: session });
    const { status } = await ask(`/shares/${shortId}/close`, { Origin: "https://evil.example" }, "POST");
    assert.equal(status, 403);
  });

  test("ignore a cursor and a list of another form", async () => {
    for (const path of ["/shares?cursor=x", "/shares?state=x", `/shares?q=${"x".repeat(500)}`, "/shares?done=%3Cscript%3E"])
      assert.equal((await ask(path)).status, 200, path);
  });
});
