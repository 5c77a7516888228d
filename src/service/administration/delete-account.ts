import type { AdministratorCall, Ctx, TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { invalidField } from "../../errors.ts";
import { enqueueJob } from "../../jobs/queue.ts";
import { newUuid } from "../../lib/secrets/ids.ts";
import { deleteMailsTo } from "../../mail/queue.ts";
import { requireUser } from "../accounts/actor.ts";
import { closeUser } from "../accounts/deleted-users.ts";
import { getNamedUser } from "../accounts/named-user.ts";
import { requireProof } from "../accounts/proof-of-identity.ts";
import { addressOf } from "../accounts/users.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import { deleteConnections } from "../oauth/end-connections.ts";
import type { AdministratorOperation, Operation } from "../operation.ts";
import { checkBuyers } from "../selling/buyers.ts";
import { enqueueAdjustment } from "../selling/subscribers.ts";
import { endMadeLinks } from "../sign-in/invites.ts";
import { deleteSignInMethods } from "../sign-in/sign-in-methods.ts";
import { ACCOUNT_REMOVAL_JOB } from "./account-removal-job.ts";

/**
 * `DELETE /me`: deletes the account of the session; `confirm` must be its address. Throws PROOF_REQUIRED, VALIDATION_FAILED, CONFLICT, and HAS_BUYERS
 * unless `force` is true.
 */
export const deleteMe: Operation<"deleteMe"> = async (ctx, call, { confirm, force }) => {
  const { userId } = requireUser(call.actor);
  requireProof(ctx, call);
  return await deleteConfirmed(ctx, call, { id: userId, confirm, force });
};

/** `DELETE /admin/users/{id}`: deletes any account; `confirm` must be its address. Throws NOT_FOUND, VALIDATION_FAILED, CONFLICT. */
export const deleteUser: AdministratorOperation<"deleteUser"> = (ctx, call, named) => deleteConfirmed(ctx, call, { ...named, force: true });

interface DeletedAccount {
  readonly id: string;
}

interface Confirmed {
  readonly id: string;
  /** The account's address. */
  readonly confirm: string;
  /** Whether to delete files that buyers have paid for. */
  readonly force: boolean | undefined;
}

async function deleteConfirmed(ctx: Ctx, call: AdministratorCall, { id, confirm, force }: Confirmed): Promise<DeletedAccount> {
  const response = await commitResponse(ctx, call, async (ctx) => {
    const user = await getNamedUser(ctx.db, id);
    if (confirm.trim().toLowerCase() !== addressOf(user).toLowerCase())
      throw invalidField("confirm", "This is not the account's email address. Send the address as `confirm` to delete the account.");
    await checkBuyers(ctx, { sellerId: user.id }, { force, loses: "what they paid for" });
    return await closeAccount(ctx, call, user);
  });
  ctx.wakeJobs();
  return response;
}

/** Closes an account in this transaction, and enqueues the job that removes its data. */
async function closeAccount(ctx: TransactionCtx, origin: AuditOrigin, user: UserRow): Promise<DeletedAccount> {
  await recordAudit(ctx, origin, { action: "account.deleted", subject: user.id, account: user.id });
  await closeUser(ctx, user);
  await deleteSignInMethods(ctx.db, user.id);
  await deleteConnections(ctx.db, user.id);
  await endMadeLinks(ctx.db, user.id);
  await enqueueAdjustment(ctx, user.id);
  // Deletes mails only for a verified address, because another person may own an unverified one.
  if (user.email_verified === 1) await deleteMailsTo(ctx.db, user.email);
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
