import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type KyselyPlugin, sql } from "kysely";
import type { Call, Ctx } from "../../src/context.ts";
import { runCleanup } from "../../src/jobs/cleanup/run-cleanup.ts";
import { authorizeArchive } from "../../src/operations/archives/authorize-archive.ts";
import { openProcesses } from "./support.ts";

interface LargeShipment {
  readonly files: number;
  readonly expiresAtMs: number;
  readonly maxDownloads: number | null;
}

/** A shipment of many files, whose bytes are nobody's concern here. */
async function addShipment(ctx: Ctx, share: LargeShipment): Promise<void> {
  const nowMs = ctx.now();
  await ctx.db
    .insertInto("shares")
    .values({
      short_id: "large",
      kind: "shipment",
      owner_id: null,
      name: "large",
      expires_at: share.expiresAtMs,
      max_downloads: share.maxDownloads,
      created_at: nowMs,
    })
    .execute();
  await sql`INSERT INTO files (id, short_id, quota_owner, name, size_bytes, content_type, blob_key, blob_state, scan_status, created_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${share.files})
    SELECT 'f' || i, 'large', 'q', 'a.txt', 1, 'text/plain', printf('%032x', i), 'stored', 'clean', ${nowMs} FROM n`.execute(ctx.db);
}

/** The longest time, in milliseconds, that the event loop did not come round during `work`. */
async function longestStop(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const timer = setInterval(look, 1);
  try {
    await work();
    look();
    return longest;
  } finally {
    clearInterval(timer);
  }
}

/** The same context, and how many statements its transactions have come to. */
function countStatements(ctx: Ctx): { readonly ctx: Ctx; readonly statements: () => number } {
  let statements = 0;
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const counted: Ctx = { ...ctx, tx: (work) => ctx.tx((ctx) => work({ ...ctx, db: ctx.db.withPlugin(counting) })) };
  return { ctx: counted, statements: () => statements };
}

const count = async (ctx: Ctx, status: "active" | "expired"): Promise<number> =>
  (await ctx.db.selectFrom("files").select("id").where("status", "=", status).execute()).length;

describe("a shipment of thousands of files", () => {
  test("expires in batches, between which others get their turn", async () => {
    const files = 3000;
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await addShipment(ctx, { files, expiresAtMs: ctx.now() + 1, maxDownloads: null });
    processes.clock.nowMs += 1;
    const stopMs = await longestStop(() => runCleanup(ctx, { orphans: "none" }));
    assert.equal(await count(ctx, "expired"), files);
    const events = await ctx.db.selectFrom("events").select("id").where("type", "=", "file.expired").execute();
    assert.equal(events.length, files);
    const share = await ctx.db.selectFrom("shares").select("status").executeTakeFirst();
    assert.equal(share?.status, "expired");
    assert.ok(stopMs < 1000, `${stopMs} ms`);
  });

  test("is used up by its archive, and others get their turn meanwhile", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await addShipment(ctx, { files: 10_000, expiresAtMs: ctx.now() + 60_000, maxDownloads: 1 });
    const actor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" } as const;
    const call: Call = { actor, requestId: "r", address: "192.0.2.7", route: "api", userAgent: "" };
    const counted = countStatements(ctx);
    const stopMs = await longestStop(() => authorizeArchive(counted.ctx, call, { shortId: "large" }));
    // Others who write wait as long: it is a few statements for a thousand files, not a few for each.
    assert.ok(counted.statements() < 100, `${counted.statements()} statements`);
    assert.equal(await count(ctx, "active"), 0);
    const share = await ctx.db.selectFrom("shares").select("status").executeTakeFirst();
    assert.equal(share?.status, "expired");
    assert.ok(stopMs < 1000, `${stopMs} ms`);
    await assert.rejects(authorizeArchive(ctx, call, { shortId: "large" }), { code: "NOT_FOUND" });
  });
});
