import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, test } from "node:test";
import type { Ctx, RequestContext } from "../../../src/context.ts";
import { parseNetwork } from "../../../src/net/networks.ts";
import { createSafeFetch, type SafeFetch } from "../../../src/net/safe-fetch.ts";
import { importFile } from "../../../src/service/imports/import-file.ts";
import { initImport } from "../../../src/service/imports/init-import.ts";
import { findImport } from "../../../src/service/imports/queries.ts";
import { runImport } from "../../../src/service/imports/run-import.ts";
import { openProcesses } from "../../jobs/support.ts";
import { type Handler, sendFile, startOrigin } from "../../support/origin-server.ts";

const SENDER = { actor: { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" }, address: "192.0.2.7" } as const;
const CALL: RequestContext = { ...SENDER, channel: "api", userAgent: "" };
const SIZE = 100_000;

/** Sends one byte every few milliseconds, without end. */
const drip: Handler = (_request, response) => {
  response.writeHead(200, { "content-length": String(SIZE), etag: '"1"' });
  const timer = setInterval(() => response.write("x"), 5);
  response.once("close", () => clearInterval(timer));
};

const openFetch = (): SafeFetch => createSafeFetch({ allowedNetworks: [parseNetwork("127.0.0.0/8") ?? assert.fail()] });

const withFetch = (ctx: Ctx, fetch: SafeFetch): Ctx => ({ ...ctx, imports: { ...ctx.imports, fetch } });

/** A context with a minimum pace that `drip` does not reach, and no source on a busy machine; that of a real server is far lower. */
function impatient(ctx: Ctx): Ctx {
  const minimumPace = { bytesPerSecond: 1024 ** 2, windowMs: 50 };
  return { ...ctx, config: { ...ctx.config, imports: { ...ctx.config.imports, minimumPace } } };
}

/** imports, "A minimum pace" and "Refusals". */
describe("an import whose source is too slow", () => {
  test("fails while its caller waits, and leaves nothing in the store", async () => {
    await using processes = await openProcesses();
    await using fetch = openFetch();
    await using origin = await startOrigin({ "/drip": drip, "/file": sendFile({ bytes: randomBytes(SIZE) }) });
    const ctx = withFetch(processes.ctxs[0], fetch);
    await assert.rejects(importFile(impatient(ctx), CALL, { url: `${origin.url}/drip` }), {
      code: "REMOTE_TIMEOUT",
      message: /too slowly/,
    });
    assert.deepEqual(await ctx.db.selectFrom("files").select("id").execute(), []);
    assert.equal((await importFile(ctx, CALL, { url: `${origin.url}/file` })).size, SIZE);
  });

  test("fails as a job, with the reason", async () => {
    await using processes = await openProcesses();
    await using fetch = openFetch();
    await using origin = await startOrigin({ "/drip": drip });
    const ctx = impatient(withFetch(processes.ctxs[0], fetch));
    const { jobId } = await initImport(ctx, CALL, { url: `${origin.url}/drip` });
    assert.deepEqual(await runImport(ctx, jobId, new AbortController().signal), { kind: "ended" });
    const row = await findImport(ctx.db, jobId);
    assert.deepEqual([row?.status, row?.error_code], ["failed", "REMOTE_TIMEOUT"]);
    assert.match(row?.error ?? "", /too slowly/);
  });
});
