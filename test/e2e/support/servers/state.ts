import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isBlobKey } from "../../../../src/blobs/store.ts";
import type { Db } from "../../../../src/db/database.ts";
import { openDatabase } from "../../../../src/db/open.ts";
import { until } from "../../../support/until.ts";

interface DataFolder {
  readonly dataDir: string;
}

/** Runs `work` on the database of a running server. */
export async function withDatabase<T>({ dataDir }: DataFolder, work: (db: Db) => Promise<T>): Promise<T> {
  await using database = await openDatabase({ url: `file:${join(dataDir, "filehost.db")}` });
  return await work(database.db);
}

/** Extends all leases to an hour from now, so that a job that resumes earlier did not wait for a lease to expire. */
export async function extendLeases(db: Db): Promise<void> {
  const lease = { lease_until: Date.now() + 3_600_000 };
  await db.updateTable("server_instances").set(lease).execute();
  await db.updateTable("jobs").set(lease).where("lease_holder", "is not", null).execute();
}

/** Makes all jobs due, so that the next server runs them without waiting for the time of their next attempt. */
export async function makeJobsDue(db: Db): Promise<void> {
  await db.updateTable("jobs").set({ run_at: 0 }).execute();
}

/** Lists the blobs in staging, in the store and in quarantine, sorted. */
export async function storedFiles({ dataDir }: DataFolder): Promise<string[]> {
  const areas = await Promise.all(["staging", "blobs", "quarantine"].map((area) => filesIn(join(dataDir, area), area)));
  return areas.flat().sort();
}

async function filesIn(folder: string, area: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && isBlobKey(entry.name)).map((entry) => `${area}/${entry.name}`);
}

/** Counts of rows, bytes and blobs. Equal counts before and after an action show that it left nothing. */
export interface StoredState {
  readonly files: number;
  readonly shares: number;
  readonly sessions: number;
  readonly reservedBytes: number;
  readonly usedBytes: number;
  readonly stored: readonly string[];
}

export async function countStoredState(server: DataFolder): Promise<StoredState> {
  const rows = await withDatabase(server, async (db) => {
    const count = async (table: "files" | "shares" | "upload_sessions"): Promise<number> => {
      const { count } = await db
        .selectFrom(table)
        .select((select) => select.fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return count;
    };
    const quotas = await db.selectFrom("quotas").selectAll().execute();
    return {
      files: await count("files"),
      shares: await count("shares"),
      sessions: await count("upload_sessions"),
      reservedBytes: quotas.reduce((sum, quota) => sum + quota.reserved_bytes, 0),
      usedBytes: quotas.reduce((sum, quota) => sum + quota.used_bytes, 0),
    };
  });
  return { ...rows, stored: await storedFiles(server) };
}

/** Returns the digest that the server computed for a share's only file, after its pass over the parts has ended. */
export async function sha256Of(server: DataFolder, shortId: string): Promise<unknown> {
  return await until("the digest is known", () =>
    withDatabase(server, async (db) => {
      const file = await db.selectFrom("files").select("sha256").where("short_id", "=", shortId).executeTakeFirst();
      return file?.sha256;
    }),
  );
}

/** Asserts that each quota uses the sum of its files, and that nothing is reserved. */
export async function assertQuotasExact(server: { readonly dataDir: string }): Promise<void> {
  await withDatabase(server, async (db) => {
    const quotas = await db.selectFrom("quotas").selectAll().execute();
    const files = await db.selectFrom("files").select(["quota_owner", "size_bytes"]).where("blob_state", "<>", "removed").execute();
    for (const { owner, used_bytes, reserved_bytes, file_count } of quotas) {
      const own = files.filter(({ quota_owner }) => quota_owner === owner);
      const bytes = own.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
      assert.deepEqual({ used_bytes, reserved_bytes, file_count }, { used_bytes: bytes, reserved_bytes: 0, file_count: own.length }, owner);
    }
  });
}
