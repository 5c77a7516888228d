import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import type { ExpressionBuilder } from "kysely";
import { type ChunkMemory, createChunkMemory } from "../chunk-memory.ts";
import type { Ctx } from "../context.ts";
import { listAnnounced, removeAnnounced } from "../db/announced-parts.ts";
import { insertEvent } from "../db/events.ts";
import type { Schema } from "../db/schema.ts";
import type { FileRow } from "../db/tables/files.ts";
import { newUuid } from "../domain/alphabet.ts";
import { DAY_MS, HOUR_MS } from "../domain/ttl.ts";
import { moveBytes } from "../operations/files/move-bytes.ts";
import type { Verdict } from "../scan/scanner.ts";
import { backoffMs, DONE, type JobKind, type JobOutcome } from "./job.ts";
import { createPartCheck } from "./part-check.ts";

/** How long a file waits for a scanner that cannot be reached before it counts as failed (decisions, "Scanning"). */
const PATIENCE_MS = HOUR_MS;

/** What a job awaits whose file needs a scanner that cannot be reached. */
export const SCANNER = "scanner";

/** Large files keep a processor busy each: as many at once as there are end no sooner, and slow down the small ones. */
const PROCESSORS = availableParallelism();

/** How often a pass over a file looks whether the file is still wanted. */
const LOOK_EVERY_BYTES = 64 * 1024 ** 2;

/** Checks a file: one pass over its bytes feeds the scanner and computes the SHA-256. */
export const scanJob: JobKind = {
  name: "scan",
  slots({ scanner }) {
    const total = scanner.concurrency;
    return { total, fair: { perKey: Math.max(2, Math.ceil(total / 2)), large: Math.max(1, Math.min(total, PROCESSORS) - 1) } };
  },
  async run(ctx, job, signal) {
    const file = await ctx.db.selectFrom("files").selectAll().where("id", "=", job.subject).executeTakeFirst();
    if (!file || file.status !== "active" || file.blob_state !== "stored") return DONE;
    if (file.scan_reason === "infected") return await quarantine(ctx, file);
    const needsVerdict = file.scan_status !== "clean";
    if (needsVerdict && ctx.scanner.mode === "none") await ctx.scanner.lookAgain();
    const state = needsVerdict ? await ctx.scanner.state() : undefined;
    // Asked first: a file is not read for a scanner that is not there.
    if (state?.ok === false) return await waitForScanner(ctx, file, state.reason ?? "it does not work");
    if (needsVerdict && file.scan_status === "pending") await setStatus(ctx, file, { scan_status: "scanning" });
    try {
      const decision = await readOnce(ctx, file, signal);
      if (!needsVerdict) return await keepDigest(ctx, file, decision.sha256);
      return await decide(ctx, file, { ...decision, attempt: job.attempts });
    } catch (error) {
      if (error instanceof FileEnded) return DONE;
      throw error;
    }
  },
};

interface Decision {
  readonly verdict: Verdict | undefined;
  readonly sha256: string;
  /** A part that does not have the digest that was announced for it. */
  readonly otherPart?: number | undefined;
}

async function readOnce(ctx: Ctx, file: FileRow, signal: AbortSignal): Promise<Decision> {
  const hash = createHash("sha256");
  const parts = createPartCheck(await listAnnounced(ctx.db, file.id));
  const needsScan = ctx.scanner.mode === "clamd" && file.scan_status !== "clean";
  const memory = needsScan ? undefined : createChunkMemory();
  const body = hashed(whileActive(ctx, file, memory), [hash.update.bind(hash), parts.add], signal);
  const { scanner } = ctx.scanner;
  if (needsScan) {
    if (!scanner) return { verdict: { kind: "unreachable", reason: "no scanner was found" }, sha256: "" };
    const reopen = (start: number, end: number): AsyncIterable<Uint8Array> => ctx.blobs.read(file.blob_key, { range: { start, end } });
    const verdict = await unlessAborted(scanner.scan({ body, reopen }, file.size_bytes), signal);
    return { verdict, sha256: hash.digest("hex"), otherPart: parts.findOther() };
  }
  for await (const _ of body);
  return { verdict: undefined, sha256: hash.digest("hex"), otherPart: parts.findOther() };
}

/** A scanner may ponder for minutes: a server that stops does not wait for it, and the scan begins again elsewhere. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** The file's bytes, as long as it is wanted: one that is deleted in the middle is not read to its end. */
async function* whileActive(ctx: Ctx, file: FileRow, memory: ChunkMemory | undefined): AsyncGenerator<Uint8Array> {
  let sinceLook = 0;
  for await (const chunk of ctx.blobs.read(file.blob_key, { memory })) {
    yield chunk;
    sinceLook += chunk.length;
    if (sinceLook < LOOK_EVERY_BYTES) continue;
    sinceLook = 0;
    const now = await ctx.db.selectFrom("files").select("status").where("id", "=", file.id).executeTakeFirst();
    if (now?.status !== "active") throw new FileEnded();
  }
}

class FileEnded extends Error {
  override readonly name = "FileEnded";
}

async function* hashed(
  body: AsyncIterable<Uint8Array>,
  readers: readonly ((chunk: Uint8Array) => unknown)[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    signal.throwIfAborted();
    for (const read of readers) read(chunk);
    yield chunk;
  }
}

async function keepDigest(ctx: Ctx, file: FileRow, sha256: string): Promise<JobOutcome> {
  await ctx.db.updateTable("files").set({ sha256 }).where("id", "=", file.id).execute();
  return DONE;
}

async function decide(
  ctx: Ctx,
  file: FileRow,
  { verdict, sha256, otherPart, attempt }: Decision & { attempt: number },
): Promise<JobOutcome> {
  if (verdict?.kind === "unreachable") {
    const waiting = await waitForScanner(ctx, { ...file, scan_status: "scanning" }, verdict.reason);
    // Where the scanner works all the same, it may be this file that it cannot bear.
    const { ok } = await ctx.scanner.state();
    return ok ? { kind: "again", atMs: ctx.now() + Math.min(backoffMs(attempt, Math.random()), 60_000), reason: verdict.reason } : waiting;
  }
  const digest = { sha256, scanned_at: ctx.now() };
  if (verdict?.kind === "infected") {
    const update = {
      ...digest,
      scan_status: "unavailable",
      scan_reason: "infected",
      failure: null,
      scan_coverage: verdict.coverage,
      scan_detail: verdict.signature,
    } as const;
    await settle(ctx, file, update, "infected");
    ctx.log.warn({ fileId: file.id, signature: verdict.signature }, "malware found");
    return await quarantine(ctx, file);
  }
  if (file.expected_sha256 !== null && file.expected_sha256 !== sha256)
    return await fail(ctx, file, { ...digest, failure: "digest_mismatch" }, "the bytes are not those that the SHA-256 was announced for");
  if (otherPart !== undefined) {
    const reason = `the bytes of part ${otherPart} are not those that their SHA-256 was announced for`;
    return await fail(ctx, file, { ...digest, failure: "digest_mismatch" }, reason);
  }
  if (verdict?.kind === "failed") return await fail(ctx, file, digest, verdict.reason);
  const clean = {
    ...digest,
    scan_status: "clean",
    scan_reason: null,
    failure: null,
    scan_detail: null,
    scan_coverage: verdict?.coverage ?? "none",
  } as const;
  if (await settle(ctx, file, clean, undefined)) await removeAnnounced(ctx.db, file.id);
  return DONE;
}

/** What a pass that failed has found out. */
type Failure = Pick<FileRow, "sha256" | "scanned_at"> & Partial<Pick<FileRow, "failure">>;

async function fail(ctx: Ctx, file: FileRow, found: Failure, reason: string): Promise<JobOutcome> {
  ctx.log.warn({ fileId: file.id, reason }, "the check could not finish");
  await settle(
    ctx,
    file,
    { failure: null, ...found, scan_status: "unavailable", scan_reason: "scan_failed", scan_detail: reason },
    "scan_failed",
  );
  return DONE;
}

/**
 * Never clean unscanned: the file waits, counts as failed after an hour, and is checked when the scanner is back. Its job does not run in
 * between, so that thousands of waiting files cost nothing.
 */
async function waitForScanner(ctx: Ctx, file: FileRow, reason: string): Promise<JobOutcome> {
  const lateAtMs = file.created_at + PATIENCE_MS;
  const isLate = ctx.now() >= lateAtMs;
  if (isLate && file.scan_reason === null) {
    await settle(ctx, file, { scan_status: "unavailable", scan_reason: "scan_failed", scan_detail: reason }, "scan_failed");
  } else if (!isLate && file.scan_status !== "pending") await setStatus(ctx, file, { scan_status: "pending" });
  ctx.log.warn({ fileId: file.id, reason }, "the scanner cannot be reached; the file waits");
  return { kind: "again", atMs: isLate ? ctx.now() + DAY_MS : lateAtMs, reason, awaits: SCANNER };
}

type StatusUpdate = Partial<
  Pick<FileRow, "scan_status" | "scan_reason" | "failure" | "scan_detail" | "scan_coverage" | "sha256" | "scanned_at">
>;

async function setStatus(ctx: Ctx, file: FileRow, update: StatusUpdate): Promise<void> {
  await ctx.db
    .updateTable("files")
    .set(update)
    .where("id", "=", file.id)
    .where("blob_state", "=", "stored")
    .where("scan_status", "<>", "clean")
    .where(isNotInfected)
    .execute();
}

/** What was found counts, whatever a check says that began sooner, of a process that has lost its lease meanwhile: the bytes may still be where they are served. */
const isNotInfected = (where: ExpressionBuilder<Schema, "files">) =>
  where.or([where("scan_reason", "is", null), where("scan_reason", "<>", "infected")]);

/** Writes a verdict and the event that tells of it, in one transaction. False where it does not count any more. */
async function settle(ctx: Ctx, file: FileRow, update: StatusUpdate, failure: "infected" | "scan_failed" | undefined): Promise<boolean> {
  const isSettled = await ctx.tx(async (ctx) => {
    const result = await ctx.db
      .updateTable("files")
      .set(update)
      .where("id", "=", file.id)
      .where("status", "=", "active")
      .where("blob_state", "=", "stored")
      .$if(failure !== "infected", (query) => query.where(isNotInfected))
      .executeTakeFirst();
    if (result.numUpdatedRows !== 1n) return false;
    const nowMs = ctx.now();
    await insertEvent(ctx.db, {
      id: newUuid(ctx.random, nowMs),
      type: failure ? "file.failed" : "file.ready",
      file,
      reason: failure,
      nowMs,
    });
    return true;
  });
  ctx.wakeJobs();
  return isSettled;
}

/** Sets blocked bytes aside, from where nothing is served, for the configured days. They are this job's to move as long as the file counts as infected. */
async function quarantine(ctx: Ctx, file: FileRow): Promise<JobOutcome> {
  await moveBytes(ctx.blobs, file.blob_key, "quarantine");
  await ctx.db
    .updateTable("files")
    .set({ blob_state: "quarantined", purge_at: ctx.now() + ctx.config.quarantineDays * DAY_MS })
    .where("id", "=", file.id)
    .where("blob_state", "=", "stored")
    .where("scan_reason", "=", "infected")
    .execute();
  return DONE;
}
