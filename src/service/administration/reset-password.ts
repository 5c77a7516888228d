import type { TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { deleteKeys } from "../accounts/deleted-users.ts";
import { deleteSessions } from "../accounts/sessions.ts";
import { getUser, isAddressVerified, updateUserRow } from "../accounts/users.ts";
import { type AuditOrigin, asAccount, recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import { abortCancelled, cancelImports } from "../imports/end-import.ts";
import { deleteConnections } from "../oauth/end-connections.ts";
import type { Operation } from "../operation.ts";
import { deleteRequests } from "../requests/manage-requests.ts";
import { endShareTokens } from "../shares/queries.ts";
import { endResetLinks, findAccountLink, linkEnded, useAccountLink } from "../sign-in/account-links.ts";
import { markProved } from "../sign-in/addresses.ts";
import { hashPassword } from "../sign-in/password-hash.ts";
import { savePassword } from "../sign-in/passwords.ts";
import { deleteFactor } from "../sign-in/second-factor.ts";
import { mailSecurityNotice } from "../sign-in/security-notice.ts";
import { deleteOtherMethods } from "../sign-in/sign-in-methods.ts";
import { isTakeOver } from "../sign-in/take-over.ts";
import { deleteDelegations } from "../uploads/delegation.ts";
import { deleteEndpointsOf } from "../webhooks/delete-endpoints.ts";

/** `POST /auth/reset`: sets a password, ends all sessions of the account and disconnects its applications. A mailed link also proves the address. */
export const resetPassword: Operation<"resetPassword"> = async (ctx, call, { token, newPassword }) => {
  // Checks the link before the slow hash of the password, so that a guessed link costs little.
  if (!(await findAccountLink(ctx, token, "reset"))) throw linkEnded();
  const hash = await hashPassword(newPassword);
  let cancelled: readonly string[] = [];
  const response = await commitResponse(ctx, call, async (ctx) => {
    const link = await useAccountLink(ctx, token, "reset");
    const { user_id, mailed_to } = link;
    await endResetLinks(ctx.db, user_id);
    const origin = asAccount(user_id, call);
    await savePassword(ctx, user_id, hash);
    await recordAudit(ctx, origin, { action: "account.password_changed", subject: user_id, account: user_id });
    const user = await getUser(ctx.db, user_id);
    if (isTakeOver(link, user)) cancelled = await endAllThatActs(ctx, origin, user);
    if (mailed_to !== null) await markProved(ctx, user_id, mailed_to);
    else await vouchForAddress(ctx, user);
    const endedSessions = await deleteSessions(ctx.db, user_id);
    await deleteConnections(ctx.db, user_id);
    await mailSecurityNotice(ctx, user_id, "password");
    return { endedSessions };
  });
  for (const id of cancelled) await abortCancelled(ctx, id);
  ctx.wakeJobs();
  return response;
};

/**
 * Ends every way in which the previous user, who may be a stranger, could use the account. Two-step sign-in of a verified account remains, because a
 * mailbox alone must not end it (accounts, "Two-step sign-in"). Resolves to the cancelled imports, which the caller aborts.
 */
async function endAllThatActs(ctx: TransactionCtx, origin: AuditOrigin, user: UserRow): Promise<readonly string[]> {
  const userId = user.id;
  await deleteOtherMethods(ctx.db, userId);
  if (!isAddressVerified(user)) await deleteFactor(ctx.db, userId);
  await deleteDelegations(ctx.db, userId);
  await deleteRequests(ctx, origin, userId);
  await deleteEndpointsOf(ctx, userId);
  await endShareTokens(ctx.db, userId);
  await deleteKeys(ctx.db, userId);
  return await cancelImports(ctx, userId);
}

/**
 * Marks the address of an account as verified because an administrator created the link; the owner could not sign in otherwise. Does not mark it as
 * proved.
 */
async function vouchForAddress(ctx: TransactionCtx, user: UserRow): Promise<void> {
  if (user.claimed_email === null && user.role !== "agent") await updateUserRow(ctx, user, { email_verified: 1 });
}
