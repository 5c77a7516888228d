import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type KyselyPlugin, sql } from "kysely";
import type { Ctx, RequestContext } from "../../../src/context.ts";
import { hashToken } from "../../../src/lib/secrets/secrets.ts";
import { THIS_MACHINE } from "../../../src/service/accounts/administrator.ts";
import { addUser } from "../../../src/service/administration/users.ts";
import { authorizeArchive } from "../../../src/service/downloads/authorize-archive.ts";
import { claimFile } from "../../../src/service/files/claim-file.ts";
import { createFolderTree } from "../../../src/service/files/folder-tree.ts";
import { MAX_FOLDERS, MAX_LEVELS } from "../../../src/service/files/folders.ts";
import { placeByPath } from "../../../src/service/files/place-by-path.ts";
import { updateShareSettings } from "../../../src/service/files/update-share-settings.ts";
import { runCleanup } from "../../../src/service/maintenance/run-cleanup.ts";
import { openProcesses } from "../../jobs/support.ts";
import { callOf } from "../owner-calls.ts";

interface LargeShipment {
  readonly shortId?: string;
  readonly files: number;
  readonly expiresAtMs: number;
  readonly maxDownloads: number | null;
  readonly ownerId?: string;
}

/** Inserts the rows of a shipment with many files, without bytes. */
async function addShipment(ctx: Ctx, share: LargeShipment): Promise<void> {
  const { shortId = "large" } = share;
  const nowMs = ctx.now();
  await ctx.db
    .insertInto("shares")
    .values({
      short_id: shortId,
      kind: "shipment",
      owner_id: share.ownerId ?? null,
      name: "large",
      expires_at: share.expiresAtMs,
      max_downloads: share.maxDownloads,
      created_at: nowMs,
    })
    .execute();
  await sql`INSERT INTO files (id, short_id, owner_id, quota_owner, name, size_bytes, content_type, blob_key, blob_state, scan_status, created_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${share.files})
    SELECT ${shortId} || '-' || i, ${shortId}, ${share.ownerId ?? null}, 'q', 'a.txt', 1, 'text/plain', lower(hex(randomblob(16))), 'stored', 'clean', ${nowMs} FROM n`.execute(
    ctx.db,
  );
}

/** A copy of the context that counts the statements in its transactions: all of them, and the most in one. */
function countStatements(ctx: Ctx): { readonly ctx: Ctx; readonly statements: () => number; readonly mostStatements: () => number } {
  let statements = 0;
  let mostStatements = 0;
  const counting: KyselyPlugin = {
    transformQuery({ node }) {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  const counted: Ctx = {
    ...ctx,
    transaction: async (work) => {
      const before = statements;
      const result = await ctx.transaction((ctx) => work({ ...ctx, db: ctx.db.withPlugin(counting) }));
      mostStatements = Math.max(mostStatements, statements - before);
      return result;
    },
  };
  return { ctx: counted, statements: () => statements, mostStatements: () => mostStatements };
}

const count = async (ctx: Ctx, status: "active" | "expired"): Promise<number> =>
  (await ctx.db.selectFrom("files").select("id").where("status", "=", status).execute()).length;

describe("a shipment of thousands of files", () => {
  test("expires in short transactions", async () => {
    const files = 3000;
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await addShipment(ctx, { files, expiresAtMs: ctx.now() + 1, maxDownloads: null });
    processes.clock.nowMs += 1;
    const counted = countStatements(ctx);
    await runCleanup(counted.ctx, { orphans: "none" });
    // Each transaction is short, so that others run between two of them.
    assert.ok(counted.statements() >= files / 20, `${counted.statements()} statements`);
    assert.ok(counted.mostStatements() < 200, `${counted.mostStatements()} statements in one transaction`);
    assert.equal(await count(ctx, "expired"), files);
    const events = await ctx.db.selectFrom("events").select("id").where("type", "=", "file.expired").execute();
    assert.equal(events.length, files);
    const share = await ctx.db.selectFrom("shares").select("status").executeTakeFirst();
    assert.equal(share?.status, "expired");
  });

  test("is ended by a lower download limit with a few statements per thousand files", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { id: userId } = await addUser(ctx, THIS_MACHINE, { email: "owner@example.org", name: "Owner" });
    const files = 10_000;
    await addShipment(ctx, { files, expiresAtMs: ctx.now() + 60_000, maxDownloads: null, ownerId: userId });
    await ctx.db.updateTable("files").set({ download_count: 2 }).execute();
    const call = callOf(userId);
    const counted = countStatements(ctx);
    await updateShareSettings(counted.ctx, call, { shortId: "large", maxDownloads: 2 });
    assert.ok(counted.statements() < 100, `${counted.statements()} statements`);
    assert.equal(await count(ctx, "expired"), files);
    const events = await ctx.db.selectFrom("events").select("id").where("type", "=", "file.expired").execute();
    assert.equal(events.length, files);
    const share = await ctx.db.selectFrom("shares").select("status").executeTakeFirst();
    assert.equal(share?.status, "expired");
  });

  test("is used up by one archive with a few statements per thousand files", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    await addShipment(ctx, { files: 10_000, expiresAtMs: ctx.now() + 60_000, maxDownloads: 1 });
    const actor = { kind: "anonymous", tier: "anonymous", quotaOwner: "anon:192.0.2.7" } as const;
    const call: RequestContext = { actor, address: "192.0.2.7", channel: "api", userAgent: "" };
    const counted = countStatements(ctx);
    await authorizeArchive(counted.ctx, call, { shortId: "large" });
    // Other writers wait for the transaction, so it must need a few statements per thousand files, not per file.
    assert.ok(counted.statements() < 100, `${counted.statements()} statements`);
    assert.equal(await count(ctx, "active"), 0);
    const share = await ctx.db.selectFrom("shares").select("status").executeTakeFirst();
    assert.equal(share?.status, "expired");
    await assert.rejects(authorizeArchive(ctx, call, { shortId: "large" }), { code: "NOT_FOUND" });
  });

  test("is claimed with few statements, with a deep path for each file", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { id: userId } = await addUser(ctx, THIS_MACHINE, { email: "owner@example.org", name: "Owner" });
    const files = 10_000;
    await addShipment(ctx, { files, expiresAtMs: ctx.now() + 60_000, maxDownloads: null });
    await ctx.db
      .updateTable("shares")
      .set({ claim_hash: hashToken("token") })
      .execute();
    const deep = "d/".repeat(400);
    await ctx.db
      .updateTable("files")
      .set({ relative_path: sql<string>`substr(id, 7) || '/' || ${deep} || 'a.txt'` })
      .execute();
    const counted = countStatements(ctx);
    await claimFile(counted.ctx, callOf(userId), { fileId: "large", claimToken: "token" });
    assert.ok(counted.statements() < 50, `${counted.statements()} statements`);
    const folders = await ctx.db.selectFrom("folders").selectAll().where("owner_id", "=", userId).execute();
    assert.equal(folders.length, MAX_FOLDERS);
    const placed = await ctx.db.selectFrom("files").select("folder_id").where("folder_id", "is not", null).execute();
    assert.equal(placed.length, Math.ceil(MAX_FOLDERS / MAX_LEVELS));
    const parents = new Map(folders.map(({ id, parent_id }) => [id, parent_id]));
    const levelOf = (id: string | null): number => (id === null ? 0 : 1 + levelOf(parents.get(id) ?? null));
    assert.equal(Math.max(...placed.map(({ folder_id }) => levelOf(folder_id))), MAX_LEVELS);
  });

  test("shares what was read of the folders between files that are published one after the other", async () => {
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { id: userId } = await addUser(ctx, THIS_MACHINE, { email: "owner@example.org", name: "Owner" });
    await addShipment(ctx, { files: 32, expiresAtMs: ctx.now() + 60_000, maxDownloads: null, ownerId: userId });
    const counted = countStatements(ctx);
    await counted.ctx.transaction(async (ctx) => {
      const folders = createFolderTree(ctx, userId);
      for (let n = 1; n <= 32; n += 1)
        await placeByPath(ctx, folders, [{ id: `large-${n}`, relative_path: `${"deep/".repeat(n % 2 === 0 ? 20 : 10)}a.txt` }]);
    });
    // Besides one change of each file: the number of folders, those with the name, and the new ones of the first two files.
    assert.equal(counted.statements(), 32 + 4);
    const folders = await ctx.db.selectFrom("folders").select("id").execute();
    assert.equal(folders.length, 20);
    const used = await ctx.db.selectFrom("files").select("folder_id").distinct().execute();
    assert.equal(used.length, 2);
  });

  test("changes its lineage with few statements", async () => {
    const files = 1000;
    await using processes = await openProcesses();
    const [ctx] = processes.ctxs;
    const { id: ownerId } = await addUser(ctx, THIS_MACHINE, { email: "owner@example.org", name: "Owner" });
    await addShipment(ctx, { files, expiresAtMs: ctx.now() + 60_000, maxDownloads: null, ownerId });
    await addShipment(ctx, { shortId: "source", files: 20, expiresAtMs: ctx.now() + 60_000, maxDownloads: null, ownerId });
    const upstream = Array.from({ length: 20 }, (_, index) => `source-${index + 1}`);
    const call = callOf(ownerId);
    for (const upstreamFileIds of [upstream, upstream.slice(5)]) {
      const counted = countStatements(ctx);
      await updateShareSettings(counted.ctx, call, { shortId: "large", upstreamFileIds, immutable: false });
      assert.ok(counted.statements() < 100, `${counted.statements()} statements`);
      const lineage = await ctx.db.selectFrom("file_lineage").selectAll().execute();
      assert.equal(lineage.length, files * upstreamFileIds.length);
      assert.deepEqual(new Set(lineage.map(({ upstream_id }) => upstream_id)), new Set(upstreamFileIds));
    }
  });
});
