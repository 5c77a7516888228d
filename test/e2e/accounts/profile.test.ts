import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { ResponseOf } from "../../../src/service/contract.ts";
import type { TestServer } from "../../support/server.ts";
import { type Account, addAccount, getMe } from "../support/accounts/accounts.ts";
import { assertRefused, type Body, call, listFiles, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";

/** accounts, "Profile" and "Usernames". */
describe("the profile of an account", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
  });
  after(() => server[Symbol.asyncDispose]());

  const change = ({ key }: Account, json: object) => call<Body & ResponseOf<"updateMe">>(server, "PATCH", "/api/me", { key, json });
  const ownerOf = async ({ key }: Account) => (await getMe(server, key)).owner;

  test("has a name that its owner changes", async () => {
    const account = await addAccount(server);
    const { status, body } = await change(account, { name: " Ada Lovelace " });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.data.name, "Ada Lovelace");
    assert.deepEqual(await ownerOf(account), body.data);
    for (const name of ["", "  ", "a\nb", "x".repeat(101)])
      assertRefused(await change(account, { name }), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await change(account, {}), { status: 400, code: "VALIDATION_FAILED" });
    assert.equal((await ownerOf(account)).name, "Ada Lovelace");
  });

  test("has a username that its owner claims, in any case, unless it is taken, reserved or not valid", async () => {
    const [account, other] = [await addAccount(server), await addAccount(server)];
    assert.equal((await change(account, { username: "Ada_L-1" })).body.data.username, "ada_l-1");
    assertRefused(await change(other, { username: "ADA_l-1" }), { status: 409, code: "CONFLICT" });
    for (const username of ["admin", "Support", "filehost"])
      assertRefused(await change(other, { username }), { status: 409, code: "CONFLICT" });
    for (const username of ["ab", "a b c", "ädä", "a.b.c", "x".repeat(31), "../x"])
      assertRefused(await change(other, { username }), { status: 400, code: "VALIDATION_FAILED" });
    assert.equal((await ownerOf(other)).username, null);
    await upload(server, { bytes: "x", fields: { visibility: "public" } }, { key: account.key });
  });

  test("changes nothing when one of two changes is refused", async () => {
    const account = await addAccount(server);
    const before = await ownerOf(account);
    assertRefused(await change(account, { name: "Eve", username: "root" }), { status: 409, code: "CONFLICT" });
    assert.deepEqual(await ownerOf(account), before);
  });

  test("keeps a username that is set again, and limits the number of changes", async () => {
    const account = await addAccount(server);
    const names = ["one", "two", "three"].map((word) => `${word}-${account.userId.slice(-8)}`);
    for (const username of names) {
      assert.equal((await change(account, { username })).status, 200);
      assert.equal((await change(account, { username })).status, 200);
    }
    const refused = await change(account, { username: "four-times" });
    assertRefused(refused, { status: 429, code: "RATE_LIMITED" });
    assert.ok(Number(refused.headers.get("retry-after")) > 29 * 24 * 3600);
    assert.equal((await ownerOf(account)).username, names.at(-1));
    assert.equal((await change(account, { username: null })).body.data.username, null);
  });

  test("gives a username to one of many accounts that claim it at the same time", async () => {
    const accounts = await Promise.all(Array.from({ length: 6 }, () => addAccount(server)));
    const responses = await Promise.all(accounts.map((account) => change(account, { username: "wanted" })));
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409]);
  });

  test("makes public shares unlisted without a username", async () => {
    const account = await addAccount(server);
    await change(account, { username: "leaving-now" });
    await upload(server, { bytes: "x", fields: { visibility: "public" } }, { key: account.key });
    await change(account, { username: null });
    const { files } = await listFiles(server, account.key);
    assert.deepEqual(
      files.map(({ visibility }) => visibility),
      ["unlisted"],
    );
  });

  test("can be changed only with a full key", async () => {
    const account = await addAccount(server, { scope: "files_write" });
    assertRefused(await change(account, { name: "Eve" }), { status: 403, code: "INSUFFICIENT_SCOPE" });
  });
});
