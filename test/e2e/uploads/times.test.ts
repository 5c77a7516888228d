import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Encrypter } from "age-encryption";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, getShare, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { postBatch } from "../support/uploads/batches.ts";
import { complete, init, MB, sendParts, someBytes } from "../support/uploads/multipart.ts";
import { putFile } from "../support/uploads/transfers.ts";

const TIME = "2026-07-01T04:03:05.678+02:00";
const SENT = { modifiedAt: "2026-07-01T02:03:05.678Z", executable: true };
const UNSENT = { modifiedAt: null, executable: false };

/** uploads, "Times and permissions". */
describe("the modification time and the executable bit of a sender's file", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { tier: "pro" } });
  });
  after(() => server?.[Symbol.asyncDispose]());

  async function toldOf(shortId: string): Promise<object> {
    const { modifiedAt, executable } = await getShare(server, shortId);
    return { modifiedAt, executable };
  }

  test("are accepted in each kind of upload, and shown to recipients", async () => {
    const query = new URLSearchParams({ modifiedAt: TIME, executable: "1" });
    assert.deepEqual(await toldOf((await putFile(server, `/a.sh?${query}`, "a")).shortId), SENT);
    const form = await upload(server, { name: "b.sh", bytes: "b", fields: { modifiedAt: TIME, executable: "true" } });
    assert.deepEqual(await toldOf(form.shortId), SENT);
    const bytes = someBytes(6 * MB);
    for (const at of ["init", "complete"] as const) {
      const session = await init(server, { fileSize: bytes.length, ...(at === "init" && { modifiedAt: TIME, executable: true }) });
      await sendParts(server, session, bytes);
      const { shortId } = await complete(server, session, at === "complete" ? { modifiedAt: TIME, executable: true } : {});
      assert.deepEqual(await toldOf(shortId), SENT, at);
    }
    assert.deepEqual(await toldOf((await putFile(server, "/c.sh", "c")).shortId), UNSENT);
  });

  test("are fields of the next file of a batch", async () => {
    const { key } = server.owner;
    const { shortId } = await upload(server, { name: "first", bytes: "1", fields: { openShare: "true" } }, { key });
    const files = [
      { relativePath: "a.sh", bytes: "a", modifiedAt: TIME, executable: "true" },
      { relativePath: "b.sh", bytes: "b" },
      { relativePath: "c.sh", bytes: "c", modifiedAt: "yesterday" },
      { relativePath: "d.sh", bytes: "d", executable: "maybe" },
    ];
    const { body } = await postBatch(server, { shareShortId: shortId }, files, { key });
    assert.deepEqual(
      body.data.files.map(({ relativePath, errorCode }) => [relativePath, errorCode]),
      [
        ["a.sh", undefined],
        ["b.sh", undefined],
        ["c.sh", "VALIDATION_FAILED"],
        ["d.sh", "VALIDATION_FAILED"],
      ],
    );
    const stored = (await getShare(server, shortId)).files ?? [];
    assert.deepEqual(
      new Map(stored.map(({ name, modifiedAt, executable }) => [name, { modifiedAt, executable }])),
      new Map<string, object>([
        ["first", UNSENT],
        ["a.sh", SENT],
        ["b.sh", UNSENT],
      ]),
    );
  });

  test("are ignored for an encrypted file, and hidden while a share is protected", async () => {
    const encrypter = new Encrypter();
    encrypter.setPassphrase("a long passphrase");
    encrypter.setScryptWorkFactor(10);
    const query = new URLSearchParams({ modifiedAt: TIME, executable: "true" });
    const encrypted = await putFile(server, `/a.age?${query}`, new Uint8Array(await encrypter.encrypt("secret")));
    assert.deepEqual(await toldOf(encrypted.shortId), UNSENT);
    query.set("protect", "true");
    const { shortId } = await putFile(server, `/a.sh?${query}`, "a");
    assert.deepEqual(await toldOf(shortId), UNSENT);
  });

  test("are refused if they are malformed, or belong to an empty shipment", async () => {
    for (const [field, value] of [
      ["modifiedAt", "1.7.2026"],
      ["executable", "x"],
    ] as const) {
      const response = await fetch(`${server.url}/a.sh?${field}=${value}`, {
        method: "PUT",
        body: "a",
        headers: { Accept: "application/json" },
      });
      assert.equal(response.status, 400, field);
    }
    for (const field of [{ modifiedAt: TIME }, { executable: true }])
      assertRefused(await call(server, "POST", "/api/shares", { json: field }), { status: 400, code: "VALIDATION_FAILED" });
  });
});
