import type { Ctx } from "../../context.ts";
import type { ImportRow } from "../../db/tables/imports.ts";
import { AppError, type ErrorCode, isStorageFull } from "../../errors.ts";
import { hasIdleKeyWaiting } from "../../jobs/fair-jobs.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { getOwnerActor } from "../accounts/user-actor.ts";
import { touchOpenSession } from "../uploads/queries.ts";
import { abortImportUpload, endImport, importCancelled } from "./end-import.ts";
import { fetchImport, findImportedParts, IMPORT_PART_BYTES, importJobTimeout } from "./fetch-import.ts";
import type { RunningImport } from "./import-progress.ts";
import { IMPORT_JOB } from "./init-import.ts";
import { findImport, updateOpenImport } from "./queries.ts";

/** Maximum number of import jobs that run at the same time in one server instance. It is high, because most of them wait for the network. */
export const IMPORT_SLOTS = 32;
/** Maximum number of slots of one owner or one address. */
const IMPORT_SLOTS_PER_KEY = 3;

/** The job that runs an import. */
export const importJob: JobKind<Ctx> = {
  name: IMPORT_JOB,
  slots: () => ({ total: IMPORT_SLOTS, fair: { perKey: IMPORT_SLOTS_PER_KEY, large: IMPORT_SLOTS } }),
  async run(ctx, job, signal) {
    const outcome = await runImport(ctx, job.subject, signal);
    return outcome.kind === "ended" ? DONE : { kind: "again", atMs: ctx.now() + outcome.inMs, reason: outcome.reason };
  },
};

/** The delay before the first retry, which doubles with each failure. */
const RETRY_DELAY_MS = 1_000;
/** The delay after a full disk, which takes longer to recover: five retries take half an hour. */
const STORAGE_FULL_DELAY_MS = 30_000;
const SAVE_INTERVAL_MS = 1_000;
const MAX_FAILURES = 5;
/** Errors that the source does not cause and that are probably temporary. */
const TRANSIENT: readonly ErrorCode[] = ["INTERNAL", "UNAVAILABLE", "UPLOAD_CLOSED", "TOO_MANY_UPLOADS"];

/** The outcome of a run: the import has ended, or the time of its retry. */
export type ImportOutcome = { readonly kind: "ended" } | { readonly kind: "retry"; readonly inMs: number; readonly reason: string };

const ENDED: ImportOutcome = { kind: "ended" };

/**
 * Runs an import until it has a file or a failure. Errors that the source does not cause are retried a few times. Throws when `drain` fires; stored
 * parts remain.
 */
export async function runImport(ctx: Ctx, id: string, drain: AbortSignal): Promise<ImportOutcome> {
  const row = await findImport(ctx.db, id);
  if (!row) return ENDED;
  if (row.ended_at !== null) {
    await abortImportUpload(ctx, id);
    return ENDED;
  }
  if (!(await updateOpenImport(ctx.db, row.id, { status: "importing", phase: "connecting", updated_at: ctx.now() }))) return ENDED;
  const running = ctx.imports.running.start(id, { bytesDone: row.bytes_done, bytesTotal: row.bytes_total, name: row.name });
  const stopMonitor = startMonitor(ctx, row, { running, drain });
  try {
    await fetchImport(ctx, { row: { ...row, status: "importing" }, actor: await getOwnerActor(ctx, row), running });
    return ENDED;
  } catch (error) {
    drain.throwIfAborted();
    return await handleFailure(ctx, { row, running, error });
  } finally {
    stopMonitor();
    ctx.imports.running.end(id);
  }
}

/** Queues the import again after a transient error; otherwise ends it with the error. */
async function handleFailure(
  ctx: Ctx,
  { row, running, error }: { row: ImportRow; running: RunningImport; error: unknown },
): Promise<ImportOutcome> {
  const isTransient = !(error instanceof AppError) || TRANSIENT.includes(error.code) || (await canResume(ctx, row.id, error));
  const hasProgressed = running.state().bytesDone - row.bytes_done >= IMPORT_PART_BYTES;
  const failures = hasProgressed ? 1 : row.failures + 1;
  if (isTransient && failures <= MAX_FAILURES) {
    const { bytesDone, bytesTotal } = running.state();
    const progress = { bytes_done: bytesDone, bytes_total: bytesTotal, updated_at: ctx.now() };
    const isQueued = await updateOpenImport(ctx.db, row.id, { ...progress, status: "queued", phase: "waiting", failures });
    if (!isQueued) return ENDED;
    ctx.log.warn({ err: error, importId: row.id }, "import interrupted; retrying later");
    const delayMs = isStorageFull(error) ? STORAGE_FULL_DELAY_MS : RETRY_DELAY_MS;
    return { kind: "retry", inMs: delayMs * 2 ** failures, reason: error instanceof Error ? error.message : String(error) };
  }
  if (isTransient) ctx.log.error({ err: error, importId: row.id }, "import failed");
  const shown = error instanceof AppError && error.code !== "INTERNAL" ? error : internalError(error);
  const failed = { status: "failed", error: shown.message, error_code: shown.code } as const;
  if (await endImport(ctx, row.id, failed)) await abortImportUpload(ctx, row.id);
  return ENDED;
}

/** Returns whether the rest can be fetched later: a part is stored, and the source disconnected or the disk is full. */
async function canResume(ctx: Ctx, id: string, error: AppError): Promise<boolean> {
  if (error.code !== "REMOTE_UNREACHABLE" && error.code !== "REMOTE_HOST_UNKNOWN" && !isStorageFull(error)) return false;
  const row = await findImport(ctx.db, id);
  const imported = row && (await findImportedParts(ctx, row));
  return imported !== undefined && imported.offset > 0;
}

/**
 * Updates the import's row during the run. Aborts the import at its time limit, on shutdown, after its cancellation by another instance, and if its
 * owner loses the right to import. Returns the function that stops the monitor.
 */
function startMonitor(ctx: Ctx, row: ImportRow, { running, drain }: { running: RunningImport; drain: AbortSignal }): () => void {
  const onDrain = (): void => running.abort(drain.reason);
  drain.addEventListener("abort", onDrain, { once: true });
  if (drain.aborted) onDrain();
  const timer = setTimeout(() => running.abort(importJobTimeout()), Math.max(0, row.created_at + ctx.config.imports.totalMs - ctx.now()));
  let savedMs = 0;
  const check = async (): Promise<void> => {
    await abortWithoutRight(ctx, row, running);
    await yieldSlot(ctx, running);
    const state = running.state();
    // Without progress there is nothing to save, but another instance may have cancelled the import.
    if (state.updatedAtMs === savedMs) return await abortIfEnded(ctx, row.id, running);
    savedMs = state.updatedAtMs;
    await saveProgress(ctx, row.id, running);
  };
  const interval = setInterval(() => {
    check().catch((error: unknown) => ctx.log.error({ err: error }, "saving an import's progress failed"));
  }, SAVE_INTERVAL_MS);
  return () => {
    drain.removeEventListener("abort", onDrain);
    clearTimeout(timer);
    clearInterval(interval);
  };
}

async function abortWithoutRight(ctx: Ctx, row: ImportRow, running: RunningImport): Promise<void> {
  try {
    await getOwnerActor(ctx, row);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UNAUTHENTICATED") throw error;
    running.abort(error);
  }
}

async function saveProgress(ctx: Ctx, id: string, running: RunningImport): Promise<void> {
  const { phase, bytesDone, bytesTotal, updatedAtMs } = running.state();
  const progress = { phase, bytes_done: bytesDone, bytes_total: bytesTotal, updated_at: updatedAtMs };
  if (!(await updateOpenImport(ctx.db, id, progress))) return running.abort(importCancelled());
  // Records activity, so that an import from a slow source does not count as idle.
  const sessionId = (await findImport(ctx.db, id))?.session_id;
  if (sessionId != null) await touchOpenSession(ctx.db, { id: sessionId, nowMs: ctx.now() });
}

async function abortIfEnded(ctx: Ctx, id: string, running: RunningImport): Promise<void> {
  const row = await findImport(ctx.db, id);
  if (!row || row.ended_at !== null) running.abort(importCancelled());
}

const internalError = (cause: unknown): AppError =>
  new AppError("INTERNAL", "Something went wrong on the server. Try again; if it keeps failing, send the administrator the job's ID.", {
    cause,
  });

/**
 * Aborts `running` if it is the slowest slow import of this instance, no slot is free, and a caller without a running import waits. The import
 * resumes later, as after an interruption.
 */
export async function yieldSlot(ctx: Ctx, running: RunningImport): Promise<void> {
  const { count, findSlowest } = ctx.imports.running;
  if (count() < IMPORT_SLOTS || findSlowest() !== running) return;
  if (!(await hasIdleKeyWaiting(ctx.db, { kind: IMPORT_JOB, isLarge: false, nowMs: ctx.now() }))) return;
  running.abort(new AppError("UNAVAILABLE", "The remote server sent slowly while others waited. Use a faster source, or try again later."));
}
