import { availableParallelism } from "node:os";
import type { ExpressionBuilder } from "kysely";
import { reducedKey, thumbnailKey } from "../../blobs/store.ts";
import type { Ctx, TransactionCtx } from "../../context.ts";
import type { Schema } from "../../db/database.ts";
import type { FileRow } from "../../db/tables/files.ts";
import { backoffMs, DONE, type JobKind, type JobOutcome } from "../../jobs/job.ts";
import { countAwaiting, wakeAwaiting } from "../../jobs/queue.ts";
import { createFileDigests, type FileDigests } from "../../lib/formats/file-digests.ts";
import { newUuid, randomFraction } from "../../lib/secrets/ids.ts";
import { type ChunkMemory, createChunkMemory } from "../../lib/system/chunk-memory.ts";
import { DAY_MS, HOUR_MS } from "../../lib/text/duration.ts";
import type { Verdict } from "../../scan/scanner.ts";
import { insertEvent, insertEvents } from "../events/outbox.ts";
import { isDigestBlocked } from "../files/blocked-digests.ts";
import { SCAN_JOB } from "../files/enqueue-scan.ts";
import { enqueueThumbnail } from "../files/enqueue-thumbnail.ts";
import { transition } from "../files/file-state.ts";
import { fileIdOf, findReadable } from "../files/places.ts";
import { notifyFileReceived } from "../requests/notify-received.ts";
import { BLOCKLISTED } from "../shares/share-state.ts";
import { deleteExpectedParts, listExpectedParts } from "../uploads/queries.ts";
import { createPartVerifier } from "../uploads/verify-parts.ts";

/** Time that a file waits for an unreachable scanner before its scan counts as failed (fair queues, "While the scanner cannot be reached"). */
const MAX_SCANNER_WAIT_MS = HOUR_MS;

/** The name of the condition that a job awaits while the scanner is unreachable. */
const SCANNER = "scanner";

/** Number of processors. Each scan of a large file uses one, so more concurrent scans only delay the small files. */
const PROCESSORS = availableParallelism();

/** Number of bytes between two checks whether the file was deleted during the scan. */
const CHECK_EVERY_BYTES = 64 * 1024 ** 2;

/** The job that scans a file: reads it once, for the scanner and for its digests. */
export const scanJob: JobKind<Ctx> = {
  name: SCAN_JOB,
  slots({ scanner }) {
    const total = scanner.concurrency;
    return { total, fair: { perKey: Math.max(2, Math.ceil(total / 2)), large: Math.max(1, Math.min(total, PROCESSORS) - 1) } };
  },
  async run(ctx, job, signal) {
    const file = await findReadable(ctx.db, job.subject);
    if (!file) return DONE;
    try {
      return await scanFile(ctx, file, { attempt: job.attempts, signal });
    } finally {
      ctx.earlyScans.forget(file.blob_key);
    }
  },
};

async function scanFile(
  ctx: Ctx,
  file: FileRow,
  { attempt, signal }: { readonly attempt: number; readonly signal: AbortSignal },
): Promise<JobOutcome> {
  if (file.scan_reason === "infected") return await quarantine(ctx, file);
  const needsVerdict = file.scan_status !== "clean";
  if (needsVerdict && file.sha256 !== null && (await isDigestBlocked(ctx.db, file.sha256))) return await block(ctx, file, file.sha256);
  if (needsVerdict && ctx.scanner.mode === "none") await ctx.scanner.rediscover();
  const state = needsVerdict ? await ctx.scanner.state() : undefined;
  // Checks the scanner before the file is read, which would be useless without a scanner.
  if (state?.ok === false) return await waitForScanner(ctx, file, state.reason ?? "it is not available");
  if (needsVerdict && file.scan_status === "pending") await setStatus(ctx, file, "startScan");
  const endJob = ctx.earlyScans.startJob();
  try {
    const result = await scanBytes(ctx, file, signal);
    if (!needsVerdict) return await saveDigests(ctx, file, result.digests);
    return await applyResult(ctx, file, { ...result, attempt });
  } catch (error) {
    if (error instanceof FileEnded) return DONE;
    throw error;
  } finally {
    endJob();
  }
}

interface ScanResult {
  /** The verdict; undefined if no scan was required. */
  readonly verdict: Verdict | undefined;
  readonly digests: FileDigests;
  /** The number of a part that does not have its expected digest. */
  readonly mismatchedPart?: number | undefined;
}

async function scanBytes(ctx: Ctx, file: FileRow, signal: AbortSignal): Promise<ScanResult> {
  const expectedParts = await listExpectedParts(ctx.db, fileIdOf(file));
  const early = expectedParts.length === 0 && (await unlessAborted(ctx.earlyScans.claim(file.blob_key, file.sha256), signal));
  if (early) return early;
  const digests = createFileDigests();
  const parts = createPartVerifier(expectedParts);
  const needsScan = ctx.scanner.mode === "clamd" && file.scan_status !== "clean";
  const body = tee(readWhileActive(ctx, file, createChunkMemory()), [digests.update, parts.add], signal);
  const { scanner } = ctx.scanner;
  if (needsScan) {
    if (!scanner) return { verdict: { kind: "unreachable", reason: "no clamd was found" }, digests: NOT_READ };
    const reopen = (start: number, end: number): AsyncIterable<Uint8Array> => ctx.blobs.read(file.blob_key, { range: { start, end } });
    const verdict = await unlessAborted(scanner.scan({ body, reopen }, file.size_bytes), signal);
    return { verdict, digests: digests.digest(), mismatchedPart: parts.findMismatch() };
  }
  for await (const _ of body);
  return { verdict: undefined, digests: digests.digest(), mismatchedPart: parts.findMismatch() };
}

const NOT_READ: FileDigests = { sha256: "", crc32: 0 };

/** Rejects when `signal` fires: a scan may take minutes, and on shutdown another run continues. */
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

/** Reads the file. Throws FileEnded soon after its last place has ended. */
async function* readWhileActive(ctx: Ctx, file: FileRow, memory: ChunkMemory): AsyncGenerator<Uint8Array> {
  let bytesSinceCheck = 0;
  for await (const chunk of ctx.blobs.read(file.blob_key, { memory })) {
    yield chunk;
    bytesSinceCheck += chunk.length;
    if (bytesSinceCheck < CHECK_EVERY_BYTES) continue;
    bytesSinceCheck = 0;
    if (!(await findReadable(ctx.db, fileIdOf(file)))) throw new FileEnded();
  }
}

class FileEnded extends Error {
  override readonly name = "FileEnded";
}

/** Passes each chunk to all readers before the scanner gets it. */
async function* tee(
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

/** Stores the digests of an available file, which makes it ready. Blocks the file if its digest was added to the blocklist meanwhile. */
async function saveDigests(ctx: Ctx, file: FileRow, digests: FileDigests): Promise<JobOutcome> {
  const { sha256 } = digests;
  const isBlocked = await ctx.transaction(async (ctx) => {
    const places = await ctx.db
      .updateTable("files")
      .set(digests)
      .where("blob_key", "=", file.blob_key)
      .where("sha256", "is", null)
      .returningAll()
      .execute();
    if (await isDigestBlocked(ctx.db, sha256)) return true;
    const nowMs = ctx.now();
    for (const place of places.filter(({ status }) => status === "active"))
      await insertEvent(ctx.db, { id: newUuid(ctx.random, nowMs), type: "file.ready", file: place, nowMs });
    return false;
  });
  ctx.wakeJobs();
  return isBlocked ? await block(ctx, file, sha256) : DONE;
}

/** Blocks a file whose digest is on the blocklist. */
const block = (ctx: Ctx, file: FileRow, sha256: string): Promise<JobOutcome> =>
  failScan(ctx, file, { sha256, scanned_at: ctx.now(), failure: BLOCKLISTED.failure }, BLOCKLISTED.scan_detail);

async function applyResult(
  ctx: Ctx,
  file: FileRow,
  { verdict, digests, mismatchedPart, attempt }: ScanResult & { attempt: number },
): Promise<JobOutcome> {
  if (verdict?.kind === "unreachable") {
    const waiting = await waitForScanner(ctx, { ...file, scan_status: "scanning" }, verdict.reason);
    // If the scanner responds now, this file may have caused the failure.
    const { ok } = await ctx.scanner.state();
    return ok
      ? { kind: "reschedule", atMs: ctx.now() + Math.min(backoffMs(attempt, randomFraction(ctx.random)), 60_000), reason: verdict.reason }
      : waiting;
  }
  const { sha256 } = digests;
  const digest = { ...digests, scanned_at: ctx.now() };
  if (verdict?.kind === "infected") {
    const update = {
      ...digest,
      scan_reason: "infected",
      failure: null,
      scan_coverage: verdict.coverage,
      scan_detail: verdict.signature,
    } as const;
    await recordVerdict(ctx, file, update, "infected");
    ctx.log.warn({ fileId: file.id, signature: verdict.signature }, "malware found");
    return await quarantine(ctx, file);
  }
  if (file.expected_sha256 !== null && file.expected_sha256 !== sha256)
    return await failScan(ctx, file, { ...digest, failure: "digest_mismatch" }, "the file does not match its expected SHA-256");
  if (mismatchedPart !== undefined) {
    const reason = `part ${mismatchedPart} does not match its expected SHA-256`;
    return await failScan(ctx, file, { ...digest, failure: "digest_mismatch" }, reason);
  }
  if (verdict?.kind === "failed") return await failScan(ctx, file, digest, verdict.reason);
  const clean = {
    ...digest,
    scan_reason: null,
    failure: null,
    scan_detail: null,
    scan_coverage: verdict?.coverage ?? "none",
  } as const;
  const recorded = await recordVerdict(ctx, file, clean, undefined);
  if (recorded === "blocked") return await block(ctx, file, sha256);
  if (recorded === "done") await deleteExpectedParts(ctx.db, fileIdOf(file));
  return DONE;
}

/** The facts that a failed scan has established. */
type Failure = Pick<FileRow, "sha256" | "scanned_at"> & Partial<Pick<FileRow, "crc32" | "failure">>;

async function failScan(ctx: Ctx, file: FileRow, found: Failure, reason: string): Promise<JobOutcome> {
  ctx.log.warn({ fileId: file.id, reason }, "scan failed; file blocked");
  await recordVerdict(ctx, file, { failure: null, ...found, scan_reason: "scan_failed", scan_detail: reason }, "scan_failed");
  return DONE;
}

/**
 * Leaves the file unscanned and blocked. Its scan counts as failed after an hour, and runs when the scanner responds again; until then the job does
 * not run, so that thousands of waiting files cost nothing.
 */
async function waitForScanner(ctx: Ctx, file: FileRow, reason: string): Promise<JobOutcome> {
  const lateAtMs = file.created_at + MAX_SCANNER_WAIT_MS;
  const isLate = ctx.now() >= lateAtMs;
  if (isLate && file.scan_reason === null) {
    await recordVerdict(ctx, file, { scan_reason: "scan_failed", scan_detail: reason }, "scan_failed");
  } else if (!isLate && file.scan_status !== "pending") await setStatus(ctx, file, "awaitScanner");
  ctx.log.warn({ fileId: file.id, reason }, "scanner unreachable; file waits");
  return { kind: "reschedule", atMs: isLate ? ctx.now() + DAY_MS : lateAtMs, reason, awaits: SCANNER };
}

type StatusUpdate = Partial<Pick<FileRow, "scan_reason" | "failure" | "scan_detail" | "scan_coverage" | "sha256" | "crc32" | "scanned_at">>;

async function setStatus(ctx: Ctx, file: FileRow, name: "startScan" | "awaitScanner"): Promise<void> {
  await ctx.db
    .updateTable("files")
    .set(transition(name).set)
    .where("blob_key", "=", file.blob_key)
    .where(transition(name).where)
    .where(isNotInfected)
    .execute();
}

/** Keeps an `infected` verdict when an older scan ends later, whose server instance has lost its lease. */
const isNotInfected = (where: ExpressionBuilder<Schema, "files">) =>
  where.or([where("scan_reason", "is", null), where("scan_reason", "<>", "infected")]);

/**
 * Records a verdict in all places of a file, with their events, in one transaction. Resolves to `ended` if the file has ended or malware was found
 * meanwhile; `blocked` if a clean file's digest is on the blocklist.
 */
async function recordVerdict(
  ctx: Ctx,
  file: FileRow,
  update: StatusUpdate,
  failure: "infected" | "scan_failed" | undefined,
): Promise<"done" | "ended" | "blocked"> {
  const change = transition(failure ? "failScan" : "passScan");
  const recorded = await ctx.transaction(async (ctx) => {
    if (!failure && update.sha256 && (await isDigestBlocked(ctx.db, update.sha256))) return "blocked";
    const places = await ctx.db
      .updateTable("files")
      .set({ ...update, ...change.set })
      .where("blob_key", "=", file.blob_key)
      .where(change.where)
      .$if(failure !== "infected", (query) => query.where(isNotInfected))
      .returningAll()
      .execute();
    if (places.length === 0) return "ended";
    await recordEndedPlaces(ctx, file, update, failure);
    const nowMs = ctx.now();
    const type = failure ? "file.failed" : "file.ready";
    await insertEvents(
      ctx.db,
      places.map((place) => ({ id: newUuid(ctx.random, nowMs), type, file: place, reason: failure, nowMs })),
    );
    if (!failure) await enqueueThumbnail(ctx, file);
    if (!failure) for (const place of places) await notifyFileReceived(ctx, place);
    return "done";
  });
  ctx.wakeJobs();
  return recorded;
}

/**
 * Records a verdict in the places that have ended: their bytes are still sent to those who have a download grant, and a takedown may be undone. A
 * pass does not replace a verdict of malware.
 */
async function recordEndedPlaces(
  ctx: TransactionCtx,
  { blob_key }: FileRow,
  update: StatusUpdate,
  failure: "infected" | "scan_failed" | undefined,
): Promise<void> {
  const change = transition(failure ? "failEnded" : "passEnded");
  await ctx.db
    .updateTable("files")
    .set({ ...update, ...change.set })
    .where("blob_key", "=", blob_key)
    .where(change.where)
    .$if(failure === undefined, (query) => query.where(isNotInfected))
    .execute();
}

const NO_IMAGES = {
  thumbnail_bytes: null,
  thumbnail_width: null,
  thumbnail_height: null,
  image_width: null,
  image_height: null,
  image_placeholder: null,
  reduced_bytes: null,
};

/**
 * Moves the bytes of an infected file to quarantine, for the configured days, and removes the images made of it. While a file is infected, only the
 * holder of its scan job moves its bytes.
 */
async function quarantine(ctx: Ctx, file: FileRow): Promise<JobOutcome> {
  await ctx.blobs.quarantine(file.blob_key);
  await ctx.blobs.remove(reducedKey(file.blob_key));
  await ctx.blobs.remove(thumbnailKey(file.blob_key));
  await ctx.db
    .updateTable("files")
    .set({ ...transition("quarantine").set, ...NO_IMAGES, remove_at: ctx.now() + ctx.config.quarantineDays * DAY_MS })
    .where("blob_key", "=", file.blob_key)
    .where(transition("quarantine").where)
    .where("scan_reason", "=", "infected")
    .execute();
  return DONE;
}

/** Number of jobs that one statement makes due. Other writes run between the statements. */
const BATCH_SIZE = 500;

/** Makes the scans that wait for the scanner due if it is reachable. Does not contact the scanner if no scan waits. */
export async function wakeScans(ctx: Ctx): Promise<void> {
  // Counts once, because a server instance that cannot reach the scanner may return jobs to the queue.
  for (let left = await countAwaiting(ctx.db, SCANNER); left > 0; left -= BATCH_SIZE) {
    if (!(await ctx.scanner.state()).ok) return;
    await wakeAwaiting(ctx.db, { awaits: SCANNER, nowMs: ctx.now(), limit: BATCH_SIZE });
    ctx.wakeJobs();
  }
}
