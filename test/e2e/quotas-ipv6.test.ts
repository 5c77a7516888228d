import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { startServer, type TestServer } from "../support/server.ts";
import { fromAddress } from "./support/agents.ts";
import { type Answer, assertRefused, type Body, call, postUpload, type Upload } from "./support/api.ts";
import { cleanUp } from "./support/inside.ts";
import { postInit, someBytes } from "./support/multipart.ts";
import { withDatabase } from "./support/state.ts";

const KB = 1024;
const STORAGE_BYTES = 100 * KB;
/** A /48 may store as much as so many of its /64. */
const WIDE = 16;

/** decisions, "Accounts, keys, tiers": IPv6 counts by /64, and by /48 at sixteen times the limit. */
describe("what callers without a key may store, by IPv6", () => {
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
  const send = (where: ReturnType<typeof at>, bytes = STORAGE_BYTES): Promise<Answer<Body & { readonly data?: Upload }>> =>
    postUpload(server, { bytes: someBytes(bytes) }, where);

  function assertFull(answer: Answer, limitBytes: number): void {
    assertRefused(answer, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.deepEqual([answer.body.limitKind, answer.body.limitBytes], ["ANON_STORAGE_QUOTA", limitBytes]);
  }

  test("a /64 has one allowance, whichever of its addresses asks", async () => {
    assert.equal((await send(at("1", 0, "1"), 60 * KB)).status, 200);
    assertFull(await send(at("1", 0, "ffff"), 60 * KB), STORAGE_BYTES);
    assert.equal((await send(at("1", 1), 60 * KB)).status, 200);
  });

  test("of many at once from one /48, exactly as many fit as sixteen allowances have room for; what goes makes room", async () => {
    const answers = await Promise.all(Array.from({ length: WIDE + 9 }, (_, subnet) => send(at("2", subnet))));
    const stored = answers.flatMap(({ status, body }) => (status === 200 && body.data ? [body.data] : []));
    assert.equal(stored.length, WIDE);
    for (const answer of answers) if (answer.status !== 200) assertFull(answer, WIDE * STORAGE_BYTES);
    // By each road: announced, in parts, or without a size.
    assertFull(await postInit(server, { fileName: "a", fileSize: 1 }, at("2", 99)), WIDE * STORAGE_BYTES);
    assertFull(
      await call(server, "PUT", "/a", { body: someBytes(10), headers: { ...at("2", 99).headers, Accept: "application/json" } }),
      WIDE * STORAGE_BYTES,
    );
    assert.equal((await send(at("3", 0))).status, 200);
    assert.equal((await postUpload(server, { bytes: "x" }, { headers: fromAddress("198.51.100.7") })).status, 200);

    const [gone] = stored;
    assert.ok(gone);
    const { status } = await call(server, "DELETE", `/api/files/delete?fileId=${gone.id}&token=${gone.deletionToken}`);
    assert.equal(status, 200);
    const again = await Promise.all([send(at("2", 200)), send(at("2", 201))]);
    assert.deepEqual(again.map((answer) => answer.status).sort(), [200, 413]);
  });

  test("a cleanup forgets the addresses that store nothing", async () => {
    const { body } = await send(at("4", 0), 10);
    const owners = () => withDatabase(server, (db) => db.selectFrom("quotas").select("owner").where("used_bytes", "=", 0).execute());
    await call(server, "DELETE", `/api/files/delete?fileId=${body.data?.id}&token=${body.data?.deletionToken}`);
    assert.ok((await owners()).length > 0);
    await cleanUp(server);
    assert.deepEqual(await owners(), []);
  });
});
