import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import type { Call, Ctx } from "../../src/context.ts";
import { findImport } from "../../src/db/imports.ts";
import { parseNetwork } from "../../src/domain/address.ts";
import { createSafeFetch, type SafeFetch } from "../../src/net/safe-fetch.ts";
import { importFile } from "../../src/operations/imports/import-file.ts";
import { initImport } from "../../src/operations/imports/init-import.ts";
import { runImport } from "../../src/operations/imports/run-import.ts";
import { openProcesses } from "../jobs/support.ts";
import { type Handler, sendFile, startOrigin } from "../support/origin-server.ts";

const SENDER = { actor: { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" }, address: "192.0.2.7" } as const;
const CALL: Call = { ...SENDER, requestId: "", route: "api", userAgent: "" };
const SIZE = 100_000;

/** Sends a byte now and then, and never ends. */
const drip: Handler = (_request, response) => {
  response.writeHead(200, { "content-length": String(SIZE), etag: '"1"' });
  const timer = setInterval(() => response.write("x"), 5);
  response.once("close", () => clearInterval(timer));
};

const openFetch = (): SafeFetch => createSafeFetch({ allowedNetworks: [parseNetwork("127.0.0.0/8") ?? assert.fail()] });

/** With a minimum pace that `drip` does not keep; `minimumPace` of a real server is far slower. */
function impatient(ctx: Ctx, fetch: SafeFetch, minimumPace = { bytesPerSecond: 1024 ** 2, windowMs: 50 }): Ctx {
  return { ...ctx, imports: { ...ctx.imports, fetch }, config: { ...ctx.config, imports: { ...ctx.config.imports, minimumPace } } };
}

/** decisions, "Remote import"; interface, "Import job status" and "Errors". */
describe("an import whose source is too slow", () => {
  test("ends while its caller waits, and leaves nothing", async () => {
    await using processes = await openProcesses();
    await using fetch = openFetch();
    await using origin = await startOrigin({ "/drip": drip, "/file": sendFile({ bytes: randomBytes(SIZE) }) });
    const ctx = impatient(processes.ctxs[0], fetch);
    await assert.rejects(importFile(ctx, CALL, { url: `${origin.url}/drip` }), { code: "REMOTE_TIMEOUT", message: /too slowly/ });
    assert.deepEqual(await ctx.db.selectFrom("files").select("id").execute(), []);
    assert.equal((await importFile(ctx, CALL, { url: `${origin.url}/file` })).data.size, SIZE);
  });

  test("ends as a job, and says why", async () => {
    await using processes = await openProcesses();
    await using fetch = openFetch();
    await using origin = await startOrigin({ "/drip": drip });
    const ctx = impatient(processes.ctxs[0], fetch);
    const { data } = await initImport(ctx, CALL, { url: `${origin.url}/drip` });
    assert.deepEqual(await runImport(ctx, data.jobId, new AbortController().signal), { kind: "over" });
    const row = await findImport(ctx.db, data.jobId);
    assert.deepEqual([row?.status, row?.error_code], ["failed", "REMOTE_TIMEOUT"]);
    assert.match(row?.error ?? "", /too slowly/);
  });
});
