import type { RequestContext, TransactionCtx } from "../../context.ts";
import type { UserRow } from "../../db/tables/accounts.ts";
import { AppError } from "../../errors.ts";
import { requireUser } from "../accounts/actor.ts";
import { toOwnerView } from "../accounts/get-me.ts";
import { consume, rateLimited } from "../accounts/rate-limits.ts";
import { isReservedUsername } from "../accounts/reserved-usernames.ts";
import { checkName, checkUsername, getUser, updateUserRow } from "../accounts/users.ts";
import { recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { Operation } from "../operation.ts";
import { changeUsername } from "./change-user.ts";

/** `PATCH /me`: changes the account's name, whether recipients see it, or the username. A rate limit applies to the username. */
export const updateMe: Operation<"updateMe"> = async (ctx, call, { name, showName, username }) => {
  const { userId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    const user = await getUser(ctx.db, userId);
    const renamed = name === undefined ? user : await rename(ctx, call, user, checkName(name));
    const changed = showName === undefined ? renamed : await updateUserRow(ctx, renamed, { show_name: showName ? 1 : 0 });
    if (username === undefined) return toOwnerView(changed);
    return toOwnerView(await chooseUsername(ctx, call, changed, username));
  });
};

async function rename(ctx: TransactionCtx, call: RequestContext, user: UserRow, name: string): Promise<UserRow> {
  if (name === user.name) return user;
  await recordAudit(ctx, call, { action: "account.renamed", subject: user.id, account: user.id });
  return await updateUserRow(ctx, user, { name });
}

/** Changes the username. Throws VALIDATION_FAILED; CONFLICT if the username is taken or reserved; RATE_LIMITED. */
async function chooseUsername(ctx: TransactionCtx, call: RequestContext, user: UserRow, text: string | null): Promise<UserRow> {
  const username = text === null ? null : checkUsername(text.trim().toLowerCase());
  if (username === user.username) return user;
  if (username !== null && isReservedUsername(username))
    throw new AppError("CONFLICT", `The username ${username} is reserved. Choose another.`);
  const changed = await changeUsername(ctx, call, user, username);
  if (username !== null) await countChange(ctx, user.id);
  return changed;
}

async function countChange(ctx: TransactionCtx, userId: string): Promise<void> {
  const rate = ctx.config.rates.usernameChanges;
  const nowMs = ctx.now();
  const { allowed, resetsAtMs } = await consume(ctx.db, { name: "usernameChanges", subject: userId, rate, nowMs });
  if (allowed) return;
  throw rateLimited({
    nowMs,
    resetsAtMs,
    message: ({ resetAt }) => `The username was changed ${rate.limit} times in 30 days. Change it again after ${resetAt}.`,
    fields: (wait) => ({ ...wait }),
  });
}
