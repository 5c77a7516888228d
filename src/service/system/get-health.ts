import type { Ctx } from "../../context.ts";
import { DatabaseMoved } from "../../db/moved-files.ts";
import { countJobs } from "../../jobs/queue.ts";
import { withTimeout } from "../../lib/concurrency/with-timeout.ts";
import { describeDoubt } from "../../lib/system/clock-doubt.ts";
import { countOf } from "../../lib/text/count-of.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { countDamagedFiles } from "../maintenance/stored-digests.ts";
import { countUnknownBlobs } from "../maintenance/unknown-bytes.ts";
import type { Operation } from "../operation.ts";
import { findRemovalStop } from "../storage/store-pair.ts";
import type { Health } from "./contract.ts";

/** `GET /health`. */
export const getHealth: Operation<"getHealth"> = (ctx) => checkHealth(ctx);

/** Time that a part has to respond (addresses, "Health"). It is shorter than the two seconds that a health check may take. */
export const HEALTH_TIMEOUT_MS = 1_800;

/** Returns the state of each part. Reasons contain no secrets or paths. */
export async function checkHealth(ctx: Ctx): Promise<Health> {
  const [database, storage, removalStop, unknownBlobs, damagedFiles, scanner, jobs] = await Promise.all([
    probe(() => ctx.ping(), "The database does not respond."),
    probe(() => checkStorage(ctx), "The file store is not available."),
    withTimeout(findRemovalStop(ctx), HEALTH_TIMEOUT_MS, () => undefined),
    withTimeout(countUnknownBlobs(ctx), HEALTH_TIMEOUT_MS, () => 0).catch(() => 0),
    withTimeout(countDamagedFiles(ctx), HEALTH_TIMEOUT_MS, () => 0).catch(() => 0),
    withTimeout(ctx.scanner.state(), HEALTH_TIMEOUT_MS, () => ({
      ok: false,
      mode: ctx.scanner.mode,
      reason: "The malware scanner does not respond.",
    })),
    withTimeout(countJobs(ctx.db, ctx.now()), HEALTH_TIMEOUT_MS, () => undefined).catch(() => undefined),
  ]);
  const checks: Health["checks"] = {
    database,
    // Without the database, the server does not know whether the store belongs to it.
    storage: {
      ...(storage.ok && database.ok ? toCheck(removalStop ?? describeDamage(damagedFiles)) : storage),
      unknownBlobs,
      damagedFiles,
    },
    scanner,
    clock: describeClock(ctx),
    jobs: jobs ? { ok: true, ...jobs } : { ok: false, waiting: 0, running: 0, reason: "The database does not respond." },
  };
  const isOk = Object.values(checks).every((check) => check.ok);
  return {
    status: isOk ? "ok" : "degraded",
    version: ctx.version,
    uptimeSeconds: Math.max(0, Math.floor(ctx.uptimeMs() / 1000)),
    checks,
  };
}

const toCheck = (reason: string | undefined): { ok: boolean; reason?: string } =>
  reason === undefined ? { ok: true } : { ok: false, reason };

const describeDamage = (count: number): string | undefined =>
  count === 0 ? undefined : `${countOf(count, "file")} with damaged bytes. Run filehost audit --digests, which lists them.`;

/** Describes the clock. A server that was stopped doubts its clock too, but that is no fault. */
function describeClock({ clock }: Ctx): Health["checks"]["clock"] {
  const doubt = clock.doubt();
  if (doubt === undefined) return { ok: true };
  const { kind, aheadMs, untilMs } = doubt;
  return {
    ok: kind === "start",
    reason: describeDoubt(doubt),
    doubt: { kind, aheadSeconds: Math.round(aheadMs / 1000), until: untilMs === undefined ? null : toIso(untilMs) },
  };
}

/**
 * Returns the reason why this server cannot serve requests now; undefined if it can. A nearly full disk or a missing scanner still permits most
 * requests.
 */
export async function findUnready(ctx: Ctx): Promise<string | undefined> {
  const checks = await Promise.all([
    probe(() => ctx.ping(), "The database does not respond."),
    probe(async () => void (await ctx.blobs.check()), "The file store is not available."),
  ]);
  return checks.find(({ ok }) => !ok)?.reason;
}

/** Minimum number of free inodes for the next uploads with their folders. */
const LEAST_INODES = 10;

async function checkStorage(ctx: Ctx): Promise<string | undefined> {
  const { freeBytes, freeInodes } = await ctx.blobs.check();
  if (freeBytes !== undefined && freeBytes < ctx.config.minFreeBytes)
    return "The disk is nearly full: uploads are rejected until space is freed.";
  if (freeInodes !== undefined && freeInodes < LEAST_INODES)
    return "The disk has no room for more files (inodes), whatever their size: uploads are rejected until some are removed.";
  return undefined;
}

async function probe(work: () => Promise<unknown>, failure: string): Promise<{ ok: boolean; reason?: string }> {
  try {
    const reason = await withTimeout(work(), HEALTH_TIMEOUT_MS, () => failure);
    return typeof reason === "string" ? { ok: false, reason } : { ok: true };
  } catch (error) {
    return { ok: false, reason: error instanceof DatabaseMoved ? error.message : failure };
  }
}
