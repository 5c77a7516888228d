import type { Ctx } from "../../context.ts";
import { DONE, type JobKind } from "../../jobs/job.ts";
import { runInBatches } from "../../lib/concurrency/batches.ts";
import { deleteClosedUser } from "../accounts/deleted-users.ts";
import { deleteAccountFiles } from "../files/delete-account-files.ts";
import { removeDueFiles } from "../files/remove-bytes.ts";
import { abortEndedUploads } from "../uploads/expire-uploads.ts";
import { deleteEndpointsOf } from "../webhooks/delete-endpoints.ts";

export const ACCOUNT_REMOVAL_JOB = "remove-account";

/** Pause before the job checks again for uploads that were receiving bytes. */
const UPLOADS_PAUSE_MS = 30_000;

/** Removes the data of a deleted account, and then its row (accounts, "Deleting an account"). A new run continues after an interrupted one. */
export const accountRemovalJob: JobKind<Ctx> = {
  name: ACCOUNT_REMOVAL_JOB,
  slots: () => ({ total: 1 }),
  async run(ctx, { subject: userId }) {
    await deleteAccountFiles(ctx, userId);
    await runInBatches(() => abortEndedUploads(ctx));
    await deleteEndpointsOf(ctx, userId);
    await removeDueFiles(ctx);
    const isDeleted = await ctx.transaction((ctx) => deleteClosedUser(ctx.db, userId));
    return isDeleted ? DONE : { kind: "reschedule", atMs: ctx.now() + UPLOADS_PAUSE_MS };
  },
};
