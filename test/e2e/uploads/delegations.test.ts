import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { makeFolder } from "../../support/folder.ts";
import { addAccount, getMe, type ServerWith, withAccounts } from "../support/accounts/accounts.ts";
import { assertRefused, call, clientOf, getShare, signedUrl, upload } from "../support/api/api.ts";
import { startPlainServer } from "../support/servers/plain-server.ts";
import { countStoredState, withDatabase } from "../support/servers/state.ts";
import { delegationCalls } from "../support/shares/delegations.ts";
import { authorizeWith, changeSettings, credentialsIn } from "../support/shares/shares.ts";
import { MB, sha256, someBytes } from "../support/uploads/multipart.ts";

/** uploads, "Delegations". */
describe("an upload delegation", () => {
  let server: ServerWith<"owner">;
  before(async () => {
    server = await withAccounts(startPlainServer(), { owner: { username: "ada", tier: "pro" } });
  });
  after(() => server[Symbol.asyncDispose]());

  const { post, ask, delegate, put, askComplete, complete, named } = delegationCalls(() => server);

  test("has a token, a PUT URL, part sizes and an expiry", async () => {
    const delegation = await delegate({ name: "a.txt", sizeBytes: 40 * MB });
    assert.match(delegation.uploadUrl, /^http/);
    assert.ok(delegation.delegationToken.length > 40 && delegation.uploadId.length > 40 && delegation.key.length > 0);
    assert.deepEqual({ chunkSize: delegation.chunkSize, totalParts: delegation.totalParts }, { chunkSize: 16 * MB, totalParts: 3 });
    const leftMs = Date.parse(delegation.expiresAt) - Date.now();
    assert.ok(leftMs > 880_000 && leftMs <= 900_000, String(leftMs));
    assert.ok(!("unlockCode" in delegation));
    assert.equal((await delegate({})).totalParts, undefined);
    const day = await delegate({ expiresInSeconds: 86_400 });
    assert.ok(Date.parse(day.expiresAt) - Date.now() > 86_000_000);
  });

  test("is refused for missing rights, invalid fields and limits", async () => {
    assertRefused(await post("", {}), { status: 401, code: "UNAUTHENTICATED" });
    const reader = await addAccount(server, { scope: "files_read" });
    assertRefused(await ask({}, reader.key), { status: 403, code: "INSUFFICIENT_SCOPE" });
    const wrong: readonly object[] = [
      { expiresInSeconds: 59 },
      { expiresInSeconds: 86_401 },
      { sizeBytes: -1 },
      { sizeBytes: "big" },
      { immutable: "maybe" },
      { ttl: "1y" },
      { maxDownloads: 0 },
      { handoffMessage: "x".repeat(481) },
    ];
    for (const fields of wrong) assertRefused(await ask(fields), { status: 400, code: "VALIDATION_FAILED" });
    const tooLarge = await ask({ sizeBytes: 36 * 1024 * MB });
    assertRefused(tooLarge, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.equal(tooLarge.body.limitKind, "FILE_SIZE");
    assertRefused(await ask({ folderId: crypto.randomUUID() }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await ask({ shareShortId: "aaaaaaaa" }), { status: 404, code: "NOT_FOUND" });
    assertRefused(await ask({ upstreamFileIds: ["aaaaaaaaaaaaaaaa"] }), { status: 404, code: "NOT_FOUND" });
    const free = await addAccount(server);
    assertRefused(await ask({ direct: true }, free.key), { status: 403, code: "PRO_REQUIRED" });
    assertRefused(await ask({ visibility: "public" }, free.key), { status: 400, code: "USERNAME_REQUIRED" });
  });

  test("creates one file for the owner, with the owner's settings, from one PUT", async () => {
    const parent = await upload(server, { bytes: "x" }, { key: server.owner.key });
    const delegation = await delegate({
      name: "report.txt",
      contentType: "text/plain",
      runId: "job-7",
      ttl: "2d",
      immutable: true,
      upstreamFileIds: [parent.id],
    });
    const { status, body } = await put(delegation, "from the worker");
    assert.equal(status, 200, JSON.stringify(body));
    const file = body.data;
    assert.deepEqual(
      { name: file.name, size: file.size, isAnonymous: file.isAnonymous, runId: file.runId, sha256: file.sha256, mime: file.mimeType },
      { name: "report.txt", size: 15, isAnonymous: false, runId: "job-7", sha256: sha256("from the worker"), mime: "text/plain" },
    );
    assert.ok(!("claimToken" in file) && !("deletionToken" in file));
    assert.ok(Math.abs(Date.parse(file.expiresAt ?? "") - Date.now() - 2 * 86_400_000) < 30_000);
    assert.equal(await (await fetch(file.url)).text(), "from the worker");
    for (const id of [file.id, parent.id])
      assertRefused(await call(server, "DELETE", `/api/files/delete?fileId=${id}`, { key: server.owner.key }), {
        status: 409,
        code: "IMMUTABLE",
      });
    const again = await complete(delegation);
    assert.deepEqual(again.data, file);
    assert.deepEqual(again.file, file);
    await complete(delegation, { sha256: sha256("from the worker") });
    assertRefused(await askComplete(delegation, { sha256: sha256("something else") }), { status: 422, code: "FILE_DIGEST_MISMATCH" });
  });

  test("accepts curl -T from a file and from a pipe", async () => {
    await using folder = await makeFolder();
    await writeFile(join(folder.path, "big.bin"), someBytes(9 * MB));
    const curl = async (args: readonly string[], input?: string) => {
      const child = spawn("curl", ["-sS", "-w", "\n%{http_code}", ...args], { stdio: ["pipe", "pipe", "inherit"] });
      // curl may have the refusal, and exit, before it has read its input.
      child.stdin.on("error", () => {});
      child.stdin.end(input);
      let out = "";
      child.stdout.on("data", (chunk) => {
        out += chunk;
      });
      await once(child, "close");
      return out;
    };
    const first = await delegate({ name: "big.bin" });
    const [response = "", status] = (await curl(["-T", join(folder.path, "big.bin"), first.uploadUrl])).split("\n");
    assert.equal(status, "200", response);
    assert.deepEqual(JSON.parse(response), { success: true, data: (await complete(first)).data });
    assert.equal((await complete(first)).data.sha256, sha256(someBytes(9 * MB)));
    assert.match(await curl(["-T", "-", first.uploadUrl], "more"), /^\{"success":false.*"errorCode":"UPLOAD_CLOSED".*\n409$/);
    const second = await delegate({ name: "piped.txt" });
    assert.match(await curl(["-T", "-", second.uploadUrl], "hello"), /200$/);
    assert.equal((await complete(second)).data.size, 5);
  });

  test("creates only one file, and gives its token no other right", async () => {
    const delegation = await delegate({ name: "a.txt" });
    assertRefused(await askComplete(delegation), { status: 409, code: "UPLOAD_INCOMPLETE" });
    assert.equal((await put(delegation, "first")).status, 200);
    const before = await countStoredState(server);
    assertRefused(await put(delegation, "second"), { status: 409, code: "UPLOAD_CLOSED" });
    assert.deepEqual(await countStoredState(server), before);
    const key = delegation.delegationToken;
    assertRefused(await call(server, "GET", "/api/files/list", { key }), { status: 401, code: "UNAUTHENTICATED" });
    assertRefused(await post("", {}, { key }), { status: 401, code: "UNAUTHENTICATED" });
  });

  test("accepts one of several concurrent PUTs, and leaves nothing of the others", async () => {
    const before = await countStoredState(server);
    const delegation = await delegate({ name: "a.txt" });
    const responses = await Promise.all(Array.from({ length: 8 }, (_, n) => put(delegation, someBytes(300_000, n))));
    assert.equal(responses.filter(({ status }) => status === 200).length, 1, responses.map(({ status }) => status).join());
    for (const response of responses) if (response.status !== 200) assert.equal(response.status, 409, JSON.stringify(response.body));
    const now = await countStoredState(server);
    assert.deepEqual(
      { files: now.files - before.files, shares: now.shares - before.shares, sessions: now.sessions, reserved: now.reservedBytes },
      { files: 1, shares: 1, sessions: before.sessions, reserved: before.reservedBytes },
    );
    assert.equal(now.usedBytes - before.usedBytes, 300_000);
    assert.equal(now.stored.length - before.stored.length, 1);
  });

  test("refuses more bytes than allowed, with and without a declared length, and accepts a later PUT", async () => {
    const before = await countStoredState(server);
    const delegation = await delegate({ name: "a.bin", sizeBytes: 1000 });
    const tooLarge = await put(delegation, someBytes(1001));
    assertRefused(tooLarge, { status: 413, code: "QUOTA_EXCEEDED" });
    assert.deepEqual({ kind: tooLarge.body.limitKind, bytes: tooLarge.body.limitBytes }, { kind: "FILE_SIZE", bytes: 1000 });
    const stream = new Response(someBytes(1001)).body;
    assert.ok(stream);
    const streamed = await fetch(delegation.uploadUrl, {
      method: "PUT",
      body: stream,
      headers: { Accept: "application/json" },
      duplex: "half",
    } as RequestInit);
    assert.equal(streamed.status, 413);
    assert.deepEqual(await countStoredState(server), before);
    assert.equal((await put(delegation, someBytes(1000))).status, 200);
  });

  test("returns the protection's credentials only to the owner", async () => {
    const delegation = await delegate({ name: "a.txt", protect: true, handoffMessage: "From the worker" });
    const { unlockCode, handoffToken } = credentialsIn(delegation);
    const { status, body } = await put(delegation, "secret");
    assert.equal(status, 200, JSON.stringify(body));
    for (const response of [body.data, (await complete(delegation)).data])
      assert.ok(!("unlockCode" in response) && !("handoffUrl" in response), JSON.stringify(response));
    const { id, shortId } = body.data;
    assert.equal((await getShare(server, shortId)).unlockRequired, true);
    assertRefused(await authorizeWith(server, id), { status: 403, code: "UNLOCK_REQUIRED" });
    await signedUrl(server, id, { unlockCode });
    const handoff = await clientOf(server).call("getHandoff", { token: handoffToken });
    assert.deepEqual({ shortId: handoff.shortId, message: handoff.message }, { shortId, message: "From the worker" });
    await changeSettings(server, { fileId: id, protect: false }, server.owner.key);
    // A repeated complete does not restore the protection.
    await complete(delegation);
    await signedUrl(server, id);
  });

  test("stops working when it expires and when its key is revoked", async () => {
    const expired = await delegate({ name: "a" });
    await withDatabase(server, async (db) => {
      await db
        .updateTable("upload_delegations")
        .set({ expires_at: Date.now() - 1 })
        .where("id", "=", expired.delegationId)
        .execute();
    });
    const other = await addAccount(server);
    const revoked = await delegate({ name: "a", sizeBytes: 10 }, other.key);
    const me = await getMe(server, other.key);
    await clientOf(server, { key: other.key }).call("revokeKey", { id: me.key?.id ?? "" });
    const before = await countStoredState(server);
    for (const delegation of [expired, revoked]) {
      assertRefused(await put(delegation, "late"), { status: 404, code: "NOT_FOUND" });
      assertRefused(await askComplete(delegation), { status: 404, code: "NOT_FOUND" });
      assertRefused(await post("/multipart/batch-urls", { ...named(delegation), partDigests: { 1: sha256("x") } }), {
        status: 404,
        code: "NOT_FOUND",
      });
    }
    assert.deepEqual(await countStoredState(server), before);
  });

  test("opens a shipment and joins one", async () => {
    const opened = await put(await delegate({ name: "a.txt", openShare: true, protect: true }), "a");
    assert.equal(opened.status, 200, JSON.stringify(opened.body));
    const { shortId } = opened.body.data;
    const share = await getShare(server, shortId);
    assert.deepEqual({ kind: share.kind, locked: share.unlockRequired }, { kind: "shipment", locked: true });
    const joined = await put(await delegate({ name: "b.txt", shareShortId: shortId }), "b");
    assert.equal(joined.body.data.shortId, shortId);
    const { files } = await clientOf(server, server.owner).call("getShare", { shortId });
    assert.equal(files?.length, 2);
  });

  test("returns the same response for a PUT repeated with its Idempotency-Key", async () => {
    const delegation = await delegate({ name: "a.txt" });
    const headers = { "Idempotency-Key": "worker-put-1" };
    const first = await put(delegation, "bytes", { headers });
    assert.equal(first.status, 200, JSON.stringify(first.body));
    const second = await put(delegation, "bytes", { headers });
    assert.deepEqual(second.body.data, { ...first.body.data, idempotent: true });
    assertRefused(await put(delegation, "other", { headers }), { status: 422, code: "IDEMPOTENCY_KEY_REUSED" });
  });
});
