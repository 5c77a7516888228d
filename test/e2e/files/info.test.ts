import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { TestServer } from "../../support/server.ts";
import { addAccount } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, deleteFile, findInfo, signedUrl, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { holdScheduledCleanup } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";

const TIME = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

/** listing, "File info"; model, "File status". */
describe("file info", () => {
  let server: TestServer;
  before(async () => {
    server = await startPlainServer();
    await holdScheduledCleanup(server);
  });
  after(() => server[Symbol.asyncDispose]());

  const info = (codes: string) => clientOf(server).call("getFileInfo", { file_code: codes });

  test("has an item per code, in the order of the codes, in its documented envelope", async () => {
    const first = await upload(server, { name: "Ä b.txt", bytes: "hello" });
    const second = await upload(server, { bytes: "x", fields: { protect: "true" } });
    await signedUrl(server, first.id);
    await signedUrl(server, first.id);
    const body = await info(`${second.shortId},unknown1,${first.shortId}, ${first.shortId},,`);
    assert.deepEqual(Object.keys(body).sort(), ["msg", "result", "server_time", "status"]);
    assert.deepEqual([body.msg, body.status], ["OK", 200]);
    assert.match(body.server_time, TIME);
    assert.ok(Math.abs(Date.parse(`${body.server_time.replace(" ", "T")}Z`) - Date.now()) < 10_000);
    assert.deepEqual(
      body.result.map(({ status, filecode }) => [status, filecode]),
      [
        [200, second.shortId],
        [404, "unknown1"],
        [200, first.shortId],
        [200, first.shortId],
      ],
    );
    const item = body.result[2];
    assert.ok(item?.status === 200);
    const { uploaded, ...found } = item;
    assert.match(uploaded, TIME);
    assert.equal(uploaded, first.createdAt.slice(0, 19).replace("T", " "));
    assert.deepEqual(found, {
      status: 200,
      filecode: first.shortId,
      name: "Ä b.txt",
      size: "5",
      download: "2",
      status_field: "active",
      isUsedUp: false,
      unlockRequired: false,
      unlockKind: null,
      paymentRequired: false,
      priceCents: null,
      title: null,
      expiresAt: first.expiresAt,
      scanStatus: "clean",
      uploading: false,
    });
    assert.ok(body.result[0]?.status === 200 && body.result[0].unlockRequired);
    assert.deepEqual(body.result[1], { status: 404, filecode: "unknown1" });
  });

  test("shows each status: active, expired, deleted and dmca_removed", async () => {
    const [active, expired, used, deleted, taken] = [
      await upload(server, { bytes: "x" }),
      await upload(server, { bytes: "x" }),
      await upload(server, { bytes: "x", fields: { once: "true" } }),
      await upload(server, { name: "secret.txt", bytes: "x" }),
      await upload(server, { bytes: "x" }),
    ];
    // The status changes at the expiry, before any cleanup.
    await withDatabase(server, (db) =>
      db
        .updateTable("shares")
        .set({ expires_at: Date.now() - 1 })
        .where("short_id", "=", expired.shortId)
        .execute(),
    );
    await signedUrl(server, used.id);
    await signedUrl(server, deleted.id);
    await deleteFile(server, { fileId: deleted.id, token: deleted.deletionToken });
    assert.equal((await server.run(["takedown", taken.shortId])).code, 0);
    const { result } = await info([active, expired, used, deleted, taken].map(({ shortId }) => shortId).join(","));
    assert.deepEqual(
      result.map((item) => item.status === 200 && item.status_field),
      ["active", "expired", "expired", "deleted", "dmca_removed"],
    );
    assert.deepEqual(
      result.map((item) => item.status === 200 && item.isUsedUp),
      [false, false, true, false, false],
    );
    const shown = result.map((item) => item.status === 200 && [item.download, item.name]);
    assert.deepEqual(
      [shown[2], shown[3]],
      [
        ["1", "note.txt"],
        ["0", ""],
      ],
    );
  });

  test("sums the files of a shipment", async () => {
    const { key } = await addAccount(server);
    const first = await upload(server, { name: "a", bytes: "123", fields: { openShare: "true" } }, { key });
    await upload(server, { name: "b", bytes: "12345", fields: { shareShortId: first.shortId } }, { key });
    await signedUrl(server, first.id);
    const found = await findInfo(server, first.shortId);
    assert.deepEqual([found?.size, found?.download, found?.status_field], ["8", "1", "active"]);
  });

  test("accepts 1 to 100 codes", async () => {
    const { shortId } = await upload(server, { bytes: "x" });
    assert.equal((await info(Array(100).fill(shortId).join(","))).result.length, 100);
    for (const codes of [Array(101).fill(shortId).join(","), "", ",", "%20"]) {
      assertRefused(await call(server, "GET", `/api/files/info?file_code=${codes}`), { status: 400, code: "VALIDATION_FAILED" });
    }
    assertRefused(await call(server, "GET", "/api/files/info"), { status: 400, code: "VALIDATION_FAILED" });
  });

  test("reports a malformed code as unknown", async () => {
    for (const code of ["x", "x".repeat(200), "..", "\0", "';--", "😀"]) {
      assert.equal((await info(code)).result[0]?.status, 404, code);
    }
  });
});
