import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../../support/server.ts";
import { fromAddress } from "../support/accounts/agents.ts";
import { type ApiResponse, assertRefused, type Body, call, deleteFile, postUpload, type Upload, upload } from "../support/api/api.ts";
import { cleanUp } from "../support/servers/server-context.ts";
import { withDatabase } from "../support/servers/state.ts";
import { postInit, someBytes } from "../support/uploads/multipart.ts";

const KB = 1024;
const STORAGE_BYTES = 100 * KB;
/** A /48 may store as much as so many /64. */
const SUBNETS_PER_SITE = 16;

/** accounts, "Tiers"; request limits, "Who counts as one caller": IPv6 counts by /64, and by /48 at sixteen times the limit. */
describe("anonymous storage by IPv6 network", () => {
  let server: TestServer;
  before(async () => {
    server = await startServer({
      env: {
        FILEHOST_SCANNER: "off",
        FILEHOST_TRUSTED_PROXIES: "127.0.0.1",
        FILEHOST_LIMITS: JSON.stringify({ tiers: { anonymous: { fileBytes: STORAGE_BYTES, storageBytes: STORAGE_BYTES } } }),
      },
    });
  });
  after(() => server[Symbol.asyncDispose]());

  const at = (site: string, subnet: number, host = "1") => ({ headers: fromAddress(`2001:db8:${site}:${subnet.toString(16)}::${host}`) });
  const send = (where: ReturnType<typeof at>, bytes = STORAGE_BYTES): Promise<ApiResponse<Body & { readonly data?: Upload }>> =>
    postUpload(server, { bytes: someBytes(bytes) }, where);

  function assertFull(response: ApiResponse, limitBytes: number): void {
    assertRefused(response, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.deepEqual([response.body.limitKind, response.body.limitBytes], ["ANON_STORAGE_QUOTA", limitBytes]);
  }

  test("all addresses of a /64 share one quota", async () => {
    assert.equal((await send(at("1", 0, "1"), 60 * KB)).status, 200);
    assertFull(await send(at("1", 0, "ffff"), 60 * KB), STORAGE_BYTES);
    assert.equal((await send(at("1", 1), 60 * KB)).status, 200);
  });

  test("concurrent uploads of one /48 fit exactly sixteen quotas, and a deletion releases space for another", async () => {
    const responses = await Promise.all(Array.from({ length: SUBNETS_PER_SITE + 9 }, (_, subnet) => send(at("2", subnet))));
    const stored = responses.flatMap(({ status, body }) => (status === 200 && body.data ? [body.data] : []));
    assert.equal(stored.length, SUBNETS_PER_SITE);
    for (const response of responses) if (response.status !== 200) assertFull(response, SUBNETS_PER_SITE * STORAGE_BYTES);
    // Through each channel: multipart with a declared size, and a body without one.
    assertFull(await postInit(server, { fileName: "a", fileSize: 1 }, at("2", 99)), SUBNETS_PER_SITE * STORAGE_BYTES);
    assertFull(
      await call(server, "PUT", "/a", { body: someBytes(10), headers: { ...at("2", 99).headers, Accept: "application/json" } }),
      SUBNETS_PER_SITE * STORAGE_BYTES,
    );
    assert.equal((await send(at("3", 0))).status, 200);
    await upload(server, { bytes: "x" }, { headers: fromAddress("198.51.100.7") });

    const [deleted] = stored;
    assert.ok(deleted);
    const { status } = await call(server, "DELETE", `/api/files/delete?fileId=${deleted.id}&token=${deleted.deletionToken}`);
    assert.equal(status, 200);
    const again = await Promise.all([send(at("2", 200)), send(at("2", 201))]);
    assert.deepEqual(again.map((response) => response.status).sort(), [200, 413]);
  });

  test("a cleanup removes the rows of addresses that store nothing", async () => {
    const { id, deletionToken } = await upload(server, { bytes: someBytes(10) }, at("4", 0));
    const owners = () => withDatabase(server, (db) => db.selectFrom("quotas").select("owner").where("used_bytes", "=", 0).execute());
    await deleteFile(server, { fileId: id, token: deletionToken });
    assert.ok((await owners()).length > 0);
    await cleanUp(server);
    assert.deepEqual(await owners(), []);
  });
});
