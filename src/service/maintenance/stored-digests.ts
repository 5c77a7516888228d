import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Ctx } from "../../context.ts";
import { findServerState, saveServerState } from "../../db/server-state.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { type ChunkMemory, createChunkMemory } from "../../lib/system/chunk-memory.ts";
import { scanDamaged } from "../scanning/rescan.ts";

/** A file whose stored bytes do not match its digest. */
export interface DamagedFile {
  readonly fileId: string;
  readonly name: string;
  readonly blobKey: string;
  readonly reason: string;
}

/** A file that was read, and its damage. */
interface ReadFile {
  readonly row: StoredRow;
  readonly reason: string | undefined;
}

interface ReadFilesOptions {
  /** Limits the reading to files after this ID. */
  readonly after?: string;
  /** Receives the length of each chunk before the next one is read. */
  readonly onBytes?: (count: number) => Promise<void> | void;
  /** Aborts the reading: the generator then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

interface ReadOptions extends Omit<ReadFilesOptions, "after"> {
  readonly memory: ChunkMemory;
}

type StoredRow = Pick<FileRow, "id" | "name" | "blob_key" | "blob_state" | "size_bytes" | "sha256">;

const PAGE_SIZE = 100;
const COLUMNS = ["id", "name", "blob_key", "blob_state", "size_bytes", "sha256"] as const;

/** Reads the bytes of all files with a known digest, in the order of their IDs, and compares them. Changes nothing. */
async function* readFiles(ctx: Ctx, { after = "", ...options }: ReadFilesOptions = {}): AsyncGenerator<ReadFile> {
  const memory = createChunkMemory();
  for (let last: string | undefined = after; last !== undefined; ) {
    const rows: readonly StoredRow[] = await ctx.db
      .selectFrom("files")
      .select(COLUMNS)
      .where("id", ">", last)
      .where("blob_state", "in", ["stored", "quarantined"])
      .where("sha256", "is not", null)
      // Reads the bytes of a file once, by the place that its owner's list shows.
      .where("is_repeat", "=", 0)
      .orderBy("id")
      .limit(PAGE_SIZE)
      .execute();
    for (const row of rows) yield { row, reason: await findDamage(ctx, row, { ...options, memory }) };
    last = rows.at(-1)?.id;
  }
}

/** Lists the files whose bytes are damaged. Reads all bytes. */
export async function listDamaged(ctx: Ctx, onBytes: (count: number) => void): Promise<readonly DamagedFile[]> {
  const damaged: DamagedFile[] = [];
  for await (const { row, reason } of readFiles(ctx, { onBytes }))
    if (reason !== undefined) damaged.push({ fileId: row.id, name: row.name, blobKey: row.blob_key, reason });
  return damaged;
}

/** Returns the damage of a file's bytes; undefined if there is none, or if the bytes are removed or moved meanwhile. */
async function findDamage(ctx: Ctx, row: StoredRow, options: ReadOptions): Promise<string | undefined> {
  const reason = await readDamage(ctx, row, options);
  if (reason === undefined) return undefined;
  const now = await ctx.db.selectFrom("files").select(["blob_state", "sha256"]).where("id", "=", row.id).executeTakeFirst();
  return now?.blob_state === row.blob_state && now.sha256 === row.sha256 ? reason : undefined;
}

async function readDamage(
  { blobs }: Ctx,
  { blob_key, blob_state, size_bytes, sha256 }: StoredRow,
  { onBytes, signal, memory }: ReadOptions,
): Promise<string | undefined> {
  const hash = createHash("sha256");
  let sizeBytes = 0;
  try {
    const area = blob_state === "quarantined" ? "quarantine" : "visible";
    for await (const chunk of blobs.read(blob_key, { area, memory })) {
      signal?.throwIfAborted();
      hash.update(chunk);
      sizeBytes += chunk.length;
      await onBytes?.(chunk.length);
    }
  } catch (error) {
    signal?.throwIfAborted();
    return `the bytes cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
  if (sizeBytes !== size_bytes) return `${sizeBytes} bytes instead of ${size_bytes}`;
  return hash.digest("hex") === sha256 ? undefined : "the bytes have another SHA-256";
}

/** The part of the stored bytes that is read each night, so that all bytes are read about once a month. */
const NIGHTLY_SHARE = 1 / 30;
/** Minimum number of bytes that are read each night. */
const LEAST_NIGHTLY_BYTES = 1024 ** 3;
/** Maximum reading speed, which leaves most of a disk's speed to users. */
const BYTES_PER_SECOND = 20 * 1024 ** 2;
/** Maximum number of damaged files that are remembered. */
const MAX_DAMAGED = 1000;

interface Reading {
  /** The ID of the last file that was read. */
  readonly after: string;
  /** The IDs of the files that were found damaged. */
  readonly damaged: readonly string[];
}

const parseReading = (text: string | undefined): Reading => (text === undefined ? { after: "", damaged: [] } : JSON.parse(text));

/**
 * Reads a part of the bytes on disk, each night the next part, and reads damaged files again. Blocks a damaged file until its bytes are correct again
 * (storage, "Damaged bytes").
 */
export async function readNightly(ctx: Ctx, signal: AbortSignal): Promise<void> {
  if (ctx.blobs.kind !== "disk") return;
  const reading = parseReading(await findServerState(ctx.db, "digest_reading"));
  const damaged = new Set(await listStillDamaged(ctx, reading.damaged));
  let after = reading.after;
  let leftBytes = await countNightlyBytes(ctx);
  const beganAtMs = performance.now();
  let readBytes = 0;
  const onBytes = async (count: number): Promise<void> => {
    readBytes += count;
    const earlyMs = (readBytes / BYTES_PER_SECOND) * 1000 - (performance.now() - beganAtMs);
    if (earlyMs > 0) await sleep(earlyMs, undefined, { signal });
  };
  const save = () => saveServerState(ctx.db, "digest_reading", JSON.stringify({ after, damaged: [...damaged].slice(0, MAX_DAMAGED) }));
  try {
    for await (const { row, reason } of readFiles(ctx, { after, onBytes, signal })) {
      leftBytes -= row.size_bytes;
      if (reason !== undefined) {
        damaged.add(row.id);
        ctx.log.error({ fileId: row.id, blobKey: row.blob_key, reason }, "the bytes of a file are damaged");
        // Saves before the scan, which replaces the digest. After a kill in between, the server reads the file again.
        await save();
        // Quarantined bytes are served to nobody.
        if (row.blob_state === "stored") await scanDamaged(ctx, row);
      }
      after = row.id;
      if (leftBytes <= 0) return;
    }
    // All files were read, so the next night begins with the first file.
    after = "";
  } catch (error) {
    // The server shuts down, and the next night continues.
    if (!signal.aborted) throw error;
  } finally {
    // Saves once and not for each file, because there may be a million small files.
    await save();
  }
}

/** Lists the damaged files whose bytes are still stored and still differ from their digest. */
async function listStillDamaged(ctx: Ctx, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const rows = await ctx.db
    .selectFrom("files")
    .select("id")
    .where("id", "in", ids)
    .where("blob_state", "in", ["stored", "quarantined"])
    .where("scan_status", "!=", "clean")
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns the number of files that the nightly reading found damaged and that are still stored. */
export async function countDamagedFiles(ctx: Ctx): Promise<number> {
  return (await listStillDamaged(ctx, parseReading(await findServerState(ctx.db, "digest_reading")).damaged)).length;
}

async function countNightlyBytes({ db }: Ctx): Promise<number> {
  const { bytes } = await db
    .selectFrom("files")
    .select(({ fn }) => fn.sum<number | null>("size_bytes").as("bytes"))
    .where("blob_state", "in", ["stored", "quarantined"])
    .where("is_repeat", "=", 0)
    .executeTakeFirstOrThrow();
  return Math.max(LEAST_NIGHTLY_BYTES, Number(bytes ?? 0) * NIGHTLY_SHARE);
}
