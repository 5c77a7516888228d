import type { Ctx, TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { invalidField } from "../../errors.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/ids.ts";
import { requireUser } from "../accounts/actor.ts";
import { closeUser } from "../accounts/deleted-users.ts";
import { requireProof } from "../accounts/proof.ts";
import { getUser } from "../accounts/users.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { deleteInvitesOf } from "../sign-in/invites.ts";
import { deleteSignInMethods } from "../sign-in/sign-in-methods.ts";
import { ACCOUNT_REMOVAL_JOB } from "./account-removal-job.ts";

/** `DELETE /me`: deletes the account of the session, whose address confirms it. Throws PROOF_REQUIRED, VALIDATION_FAILED, CONFLICT. */
export const deleteMe: Operation<"deleteMe"> = async (ctx, call, { confirm }) => {
  const { userId } = requireUser(call.actor);
  requireProof(ctx, call);
  const response = await commitResponse(ctx, call, async (ctx) => {
    const user = await getUser(ctx.db, userId);
    if (confirm.trim().toLowerCase() !== user.email.toLowerCase())
      throw invalidField("confirm", "This is not the account's email address. Send the address as `confirm` to delete the account.");
    return await closeAccount(ctx, call, user);
  });
  ctx.wakeJobs();
  return response;
};

export interface DeletedAccount {
  readonly id: string;
}

/** Deletes an account by its ID, email address or username. Throws NOT_FOUND, and CONFLICT for the last administrator. */
export async function deleteUser(ctx: Ctx, origin: AuditOrigin, name: string): Promise<DeletedAccount> {
  const deleted = await ctx.transaction(async (ctx) => await closeAccount(ctx, origin, await getUser(ctx.db, name)));
  ctx.wakeJobs();
  return deleted;
}

/** Ends an account for everybody in this transaction; a job removes what it had. */
async function closeAccount(ctx: TransactionCtx, origin: AuditOrigin, user: UserRow): Promise<DeletedAccount> {
  await recordAudit(ctx, origin, { action: "account.deleted", subject: user.id, account: user.id });
  await closeUser(ctx, user);
  await deleteSignInMethods(ctx.db, user.id);
  await deleteInvitesOf(ctx.db, user.id);
  const nowMs = ctx.now();
  await enqueueJob(ctx.db, {
    id: newUuid(ctx.random, nowMs),
    kind: ACCOUNT_REMOVAL_JOB,
    subject: user.id,
    runAtMs: nowMs,
    nowMs,
  });
  return { id: user.id };
}
