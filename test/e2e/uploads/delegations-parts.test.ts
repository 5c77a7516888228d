import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, getShare, signedUrl } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { sha256Of } from "../support/servers/state.ts";
import { delegationCalls } from "../support/shares/delegations.ts";
import { credentialsIn } from "../support/shares/shares.ts";
import { MB, putPart, sha256, someBytes } from "../support/uploads/multipart.ts";

/** uploads, "Delegations". */
describe("an upload delegation in parts", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { username: "ada", tier: "pro" } });
  });
  after(() => server[Symbol.asyncDispose]());

  const { post, delegate, put, named } = delegationCalls(() => server);

  test("makes a file from batch-urls, part PUTs and complete, and returns it again", async () => {
    const bytes = someBytes(17 * MB);
    const delegation = await delegate({ name: "parts.bin", sizeBytes: bytes.length, protect: true });
    const { unlockCode } = credentialsIn(delegation);
    assert.equal(delegation.totalParts, 2);
    const parts = [bytes.subarray(0, 16 * MB), bytes.subarray(16 * MB)];
    const partDigests = Object.fromEntries(parts.map((part, index) => [index + 1, sha256(part)]));
    const askUrls = () => clientOf(server).call("batchDelegatedPartUrls", { ...named(delegation), totalParts: 2, partDigests });
    const [{ urls }] = await Promise.all([askUrls(), askUrls()]);
    const early = await post("/multipart/complete", named(delegation));
    assertRefused(early, { status: 409, code: "PARTS_MISSING" });
    assert.deepEqual(early.body.missing, [1, 2]);
    for (const [index, part] of parts.entries()) assert.equal((await putPart(urls[index + 1] ?? "", part)).status, 200);
    for (const setting of [{ visibility: "public" }, { once: true }])
      assertRefused(await post("/multipart/complete", { ...named(delegation), ...setting }), { status: 400, code: "VALIDATION_FAILED" });
    const { data, file } = await clientOf(server).call("completeDelegatedMultipart", named(delegation));
    assert.deepEqual(file, data);
    assert.deepEqual(
      { name: data.name, size: data.size, isAnonymous: data.isAnonymous },
      { name: "parts.bin", size: bytes.length, isAnonymous: false },
    );
    assert.ok(!("unlockCode" in data));
    const { delegationToken } = delegation;
    assert.equal((await clientOf(server).call("completeDelegatedMultipart", named(delegation))).data.id, data.id);
    assert.equal((await clientOf(server).call("completeDelegation", { delegationToken })).data.id, data.id);
    const metadata = await getShare(server, data.shortId);
    assert.equal(metadata.unlockRequired, true);
    await sha256Of(server, data.shortId);
    await signedUrl(server, data.id, { unlockCode });
    await signedUrl(server, data.id, { unlockCode });
    assertRefused(await put(delegation, "again"), { status: 409, code: "UPLOAD_CLOSED" });
    assertRefused(await post("/multipart/batch-urls", { ...named(delegation), partDigests }), { status: 409, code: "UPLOAD_CLOSED" });
  });

  test("accepts its token in place of a key, only on routes of delegations", async () => {
    const bytes = "in two words";
    const { delegationToken, uploadId, key } = await delegate({ sizeBytes: bytes.length });
    const headersWithToken: readonly Record<string, string>[] = [
      { Authorization: `Bearer ${delegationToken}` },
      { "X-Service-Api-Key": delegationToken },
    ];
    for (const headers of headersWithToken) {
      const asked = await post("/multipart/batch-urls", { uploadId, key, partDigests: { 1: sha256(bytes) } }, { headers });
      assert.equal(asked.status, 200, JSON.stringify(asked.body));
      assert.equal((await fetch(asked.body.urls?.[1] ?? "", { method: "PUT", body: bytes })).status, 200);
    }
    const bearer = { headers: { Authorization: `Bearer ${delegationToken}` } };
    const done = await post("/multipart/complete", { uploadId, key }, bearer);
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.equal((await post("/complete", {}, bearer)).body.data.id, done.body.data.id);
    assertRefused(await post("/complete", {}), { status: 400, code: "VALIDATION_FAILED" });
    assertRefused(await post("", {}, bearer), { status: 401, code: "UNAUTHENTICATED" });
  });

  test("requires a declared size and this delegation's identifiers", async () => {
    const [sized, unsized] = [await delegate({ sizeBytes: 10 }), await delegate({})];
    const partDigests = { 1: sha256("x") };
    assertRefused(await post("/multipart/batch-urls", { ...named(unsized), partDigests }), { status: 400, code: "VALIDATION_FAILED" });
    for (const fields of [{ uploadId: unsized.uploadId }, { key: unsized.key }, { delegationToken: "dg_nothing" }])
      assertRefused(await post("/multipart/batch-urls", { ...named(sized), ...fields, partDigests }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await post("/multipart/batch-urls", { ...named(sized), partDigests: { 2: sha256("x") } }), {
      status: 400,
      code: "VALIDATION_FAILED",
    });
    assertRefused(await post("/complete", { delegationToken: "dg_nothing" }), { status: 404, code: "NOT_FOUND" });
    assert.equal(
      (
        await call({ url: unsized.uploadUrl.replace(/[^/]+$/, "dg_nothing") }, "PUT", "", {
          body: "x",
          headers: { Accept: "application/json" },
        })
      ).status,
      404,
    );
  });
});
