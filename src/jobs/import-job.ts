import { IMPORT_JOB } from "../operations/imports/init-import.ts";
import { runImport } from "../operations/imports/run-import.ts";
import { IMPORT_SLOTS, IMPORT_SLOTS_PER_KEY } from "../operations/imports/yield-slot.ts";
import { DONE, type JobKind } from "./job.ts";

/** Fetches what users asked for from other servers. */
export const importJob: JobKind = {
  name: IMPORT_JOB,
  slots: () => ({ total: IMPORT_SLOTS, fair: { perKey: IMPORT_SLOTS_PER_KEY, large: IMPORT_SLOTS } }),
  async run(ctx, job, signal) {
    const outcome = await runImport(ctx, job.subject, signal);
    return outcome.kind === "over" ? DONE : { kind: "again", atMs: ctx.now() + outcome.inMs, reason: outcome.reason };
  },
};
