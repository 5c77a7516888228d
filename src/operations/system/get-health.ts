import type { Ctx } from "../../context.ts";
import type { Health } from "../../contract/system.ts";
import { countJobs } from "../../db/jobs.ts";
import type { Operation } from "../operation.ts";

/** `GET /health`: 503 where a part does not work; reasons without secrets or paths. */
export const getHealth: Operation<"getHealth"> = async (ctx) => {
  const [database, storage, scanner, jobs] = await Promise.all([
    probe(() => ctx.ping(), "The database does not answer."),
    probe(() => checkStorage(ctx), "The storage does not work."),
    ctx.scanner.state(),
    countJobs(ctx.db, ctx.now()).catch(() => undefined),
  ]);
  const checks: Health["checks"] = {
    database,
    storage,
    scanner,
    jobs: jobs ? { ok: true, ...jobs } : { ok: false, waiting: 0, running: 0, reason: "The database does not answer." },
  };
  const isOk = Object.values(checks).every((check) => check.ok);
  return {
    status: isOk ? "ok" : "degraded",
    version: ctx.version,
    uptimeSeconds: Math.floor((ctx.now() - ctx.startedAtMs) / 1000),
    checks,
  };
};

async function checkStorage(ctx: Ctx): Promise<string | undefined> {
  const { freeBytes } = await ctx.blobs.check();
  return freeBytes !== undefined && freeBytes < ctx.config.minFreeBytes
    ? "The disk is nearly full: uploads are refused until space is freed."
    : undefined;
}

async function probe(work: () => Promise<unknown>, failure: string): Promise<{ ok: boolean; reason?: string }> {
  try {
    const reason = await work();
    return typeof reason === "string" ? { ok: false, reason } : { ok: true };
  } catch {
    return { ok: false, reason: failure };
  }
}
