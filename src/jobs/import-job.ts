import { IMPORT_JOB } from "../operations/imports/init-import.ts";
import { runImport } from "../operations/imports/run-import.ts";
import { DONE, type JobKind } from "./job.ts";

/** Fetches what users asked for from other servers. */
export const importJob: JobKind = {
  name: IMPORT_JOB,
  concurrency: 8,
  async run(ctx, job, signal) {
    const outcome = await runImport(ctx, job.subject, signal);
    return outcome.kind === "over" ? DONE : { kind: "again", atMs: ctx.now() + outcome.inMs, reason: outcome.reason };
  },
};
