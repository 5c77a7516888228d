import { getOwnerActor } from "../../auth/owner-actor.ts";
import type { Ctx } from "../../context.ts";
import { findImport, updateOpenImport } from "../../db/imports.ts";
import type { ImportRow } from "../../db/tables/uploads.ts";
import { AppError, type ErrorCode } from "../../errors.ts";
import { abandonArrived, stopImport } from "./end-import.ts";
import type { LiveImport } from "./live-imports.ts";
import { findArrived, PART_BYTES } from "./receive-parts.ts";
import { receiveRemote, tookTooLong } from "./receive-remote.ts";
import { yieldSlot } from "./yield-slot.ts";

const FIRST_PAUSE_MS = 1_000;
/** A full store takes longer to have room again: five tries are half an hour. */
const FULL_PAUSE_MS = 30_000;
const SAVE_EVERY_MS = 1_000;
const MAX_FAILURES = 5;
/** What is no fault of the source, and may well be over soon. */
const PASSING: readonly ErrorCode[] = ["INTERNAL", "UNAVAILABLE", "UPLOAD_CLOSED", "TOO_MANY_UPLOADS"];

/** Whether an import is over, or when to try it again. */
export type ImportOutcome = { readonly kind: "over" } | { readonly kind: "again"; readonly inMs: number; readonly reason: string };

const OVER: ImportOutcome = { kind: "over" };

/**
 * Carries an import out: to its file, or to a failure that its row tells of. What is not the source's fault is tried again a few times.
 * Throws, and keeps what has arrived, where `drain` fires.
 */
export async function runImport(ctx: Ctx, id: string, drain: AbortSignal): Promise<ImportOutcome> {
  const row = await findImport(ctx.db, id);
  if (!row) return OVER;
  if (row.ended_at !== null) {
    await abandonArrived(ctx, id);
    return OVER;
  }
  if (!(await updateOpenImport(ctx.db, row.id, { status: "importing", phase: "connecting", updated_at: ctx.now() }))) return OVER;
  const live = ctx.imports.live.start(id, { bytesDone: row.bytes_done, bytesTotal: row.bytes_total, name: row.name });
  const stopWatching = watch(ctx, row, { live, drain });
  try {
    await receiveRemote(ctx, { row: { ...row, status: "importing" }, actor: await getOwnerActor(ctx, row), live });
    return OVER;
  } catch (error) {
    drain.throwIfAborted();
    return await settle(ctx, { row, live, error });
  } finally {
    stopWatching();
    ctx.imports.live.end(id);
  }
}

async function settle(ctx: Ctx, { row, live, error }: { row: ImportRow; live: LiveImport; error: unknown }): Promise<ImportOutcome> {
  const isPassing = !(error instanceof AppError) || PASSING.includes(error.code) || (await canGoOn(ctx, row.id, error));
  const hasGoneOn = live.state().bytesDone - row.bytes_done >= PART_BYTES;
  const failures = hasGoneOn ? 1 : row.failures + 1;
  if (isPassing && failures <= MAX_FAILURES) {
    const { bytesDone, bytesTotal } = live.state();
    const saved = { bytes_done: bytesDone, bytes_total: bytesTotal, updated_at: ctx.now() };
    const queued = await updateOpenImport(ctx.db, row.id, { ...saved, status: "queued", phase: "waiting", failures });
    if (!queued) return OVER;
    ctx.log.warn({ err: error, importId: row.id }, "an import was interrupted; it will be tried again");
    const pauseMs = error instanceof AppError && error.code === "STORAGE_FULL" ? FULL_PAUSE_MS : FIRST_PAUSE_MS;
    return { kind: "again", inMs: pauseMs * 2 ** failures, reason: error instanceof Error ? error.message : String(error) };
  }
  if (isPassing) ctx.log.error({ err: error, importId: row.id }, "an import failed");
  const known = error instanceof AppError && error.code !== "INTERNAL" ? error : somethingWrong(error);
  await stopImport(ctx, row.id, { status: "failed", error: known });
  return OVER;
}

/** Whether the rest may be fetched later, where a part has arrived: the source broke off, or others have the room now. */
async function canGoOn(ctx: Ctx, id: string, error: AppError): Promise<boolean> {
  if (error.code !== "REMOTE_UNREACHABLE" && error.code !== "REMOTE_HOST_UNKNOWN" && error.code !== "STORAGE_FULL") return false;
  const row = await findImport(ctx.db, id);
  const arrived = row && (await findArrived(ctx, row));
  return arrived !== undefined && arrived.offset > 0;
}

/** Ends the import when its time is over, the server drains, somebody cancels it elsewhere or its owner's right ends, and keeps its row up to date. */
function watch(ctx: Ctx, row: ImportRow, { live, drain }: { live: LiveImport; drain: AbortSignal }): () => void {
  const onDrain = (): void => live.abort(drain.reason);
  drain.addEventListener("abort", onDrain, { once: true });
  if (drain.aborted) onDrain();
  const timer = setTimeout(() => live.abort(tookTooLong()), Math.max(0, row.created_at + ctx.config.imports.totalMs - ctx.now()));
  let savedMs = 0;
  const look = async (): Promise<void> => {
    await stopWithoutRight(ctx, row, live);
    await yieldSlot(ctx, live);
    const state = live.state();
    if (state.updatedAtMs === savedMs) return;
    savedMs = state.updatedAtMs;
    await saveProgress(ctx, row.id, live);
  };
  const saving = setInterval(() => {
    look().catch((error: unknown) => ctx.log.error({ err: error }, "looking after an import failed"));
  }, SAVE_EVERY_MS);
  return () => {
    drain.removeEventListener("abort", onDrain);
    clearTimeout(timer);
    clearInterval(saving);
  };
}

async function stopWithoutRight(ctx: Ctx, row: ImportRow, live: LiveImport): Promise<void> {
  try {
    await getOwnerActor(ctx, row);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "UNAUTHENTICATED") throw error;
    live.abort(error);
  }
}

async function saveProgress(ctx: Ctx, id: string, live: LiveImport): Promise<void> {
  const { phase, bytesDone, bytesTotal, updatedAtMs } = live.state();
  const progress = { phase, bytes_done: bytesDone, bytes_total: bytesTotal, updated_at: updatedAtMs };
  if (!(await updateOpenImport(ctx.db, id, progress))) {
    live.abort(new AppError("UPLOAD_CLOSED", "This import was cancelled."));
    return;
  }
  // A slow source is not one that nobody goes on with.
  await ctx.db
    .updateTable("upload_sessions")
    .set({ last_byte_at: ctx.now() })
    .where("id", "=", (query) => query.selectFrom("imports").select("session_id").where("id", "=", id))
    .execute();
}

const somethingWrong = (cause: unknown): AppError =>
  new AppError("INTERNAL", "Something went wrong on our side. Please try again; if it goes on, tell the operator the job's id.", { cause });
