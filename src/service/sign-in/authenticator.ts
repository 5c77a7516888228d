import type { TransactionCtx } from "../../context.ts";
import type { AuthenticatorRow } from "../../db/tables/second-factors.ts";
import { AppError } from "../../errors.ts";
import { toIso } from "../../lib/text/iso-time.ts";
import { requireUser, requireVerified } from "../accounts/actor.ts";
import { getTrustedUser } from "../accounts/named-user.ts";
import { PROOF_MS, requireProof } from "../accounts/proof-of-identity.ts";
import { addressOf, getUser } from "../accounts/users.ts";
import { type AuditOrigin, recordAudit } from "../audit-log/record-audit.ts";
import { commitResponse } from "../idempotency.ts";
import type { AdministratorOperation, Operation } from "../operation.ts";
import { replaceRecoveryCodes } from "./recovery-codes.ts";
import { countCode, deleteFactor, hasSecondFactor, useCode } from "./second-factor.ts";
import { mailSecurityNotice } from "./security-notice.ts";
import { requireSession } from "./sessions.ts";
import { newTotpSecret, totpUrl } from "./totp.ts";

/** `GET /auth/totp`: returns whether signing in requires a code. */
export const getTotp: Operation<"getTotp"> = async ({ db }, { actor }) => {
  const { userId } = requireUser(actor);
  const row = await db.selectFrom("authenticators").select("confirmed_at").where("user_id", "=", userId).executeTakeFirst();
  const codes = await db.selectFrom("recovery_codes").select("code_hash").where("user_id", "=", userId).execute();
  return { isOn: row != null && row.confirmed_at !== null, since: toIso(row?.confirmed_at ?? null), recoveryCodesLeft: codes.length };
};

/** `POST /auth/totp`: creates the secret for an authenticator app. Returns the same secret while the session sets it up. */
export const startTotp: Operation<"startTotp"> = async (ctx, call) => {
  requireProof(ctx, call);
  const user = requireVerified(call.actor);
  const { userId } = user;
  const sessionId = requireSession(user);
  const issuer = ctx.config.branding.name;
  const account = addressOf(await getUser(ctx.db, userId));
  return await commitResponse(ctx, call, async (ctx) => {
    const secret = await findOrCreateSecret(ctx, { userId, sessionId });
    return { secret, url: totpUrl({ secret, issuer, account }) };
  });
};

interface SetUp {
  readonly userId: string;
  /** The session that sets up the app. Another session gets another secret, because a stranger may know the first one. */
  readonly sessionId: string;
}

async function findOrCreateSecret(ctx: TransactionCtx, { userId, sessionId }: SetUp): Promise<string> {
  const nowMs = ctx.now();
  const row = await findRow(ctx, userId);
  if (row && row.confirmed_at !== null) throw new AppError("CONFLICT", "Two-step sign-in is on. Turn it off first.");
  if (row?.session_id === sessionId && row.created_at > nowMs - PROOF_MS) return ctx.keyring.decrypt(row.secret);
  const secret = newTotpSecret(ctx.random);
  await ctx.db
    .replaceInto("authenticators")
    .values({ user_id: userId, secret: ctx.keyring.encrypt(secret), created_at: nowMs, session_id: sessionId })
    .execute();
  return secret;
}

/** `POST /auth/totp/confirm`: turns two-step sign-in on with the app's first code. Returns the recovery codes, which are shown only once. */
export const confirmTotp: Operation<"confirmTotp"> = async (ctx, call, { code }) => {
  requireProof(ctx, call);
  const user = requireUser(call.actor);
  const { userId } = user;
  const sessionId = requireSession(user);
  await countCode(ctx, call, userId);
  const response = await commitResponse(ctx, call, async (ctx) => {
    const row = await findRow(ctx, userId);
    if (!row || row.confirmed_at !== null || row.session_id !== sessionId)
      throw new AppError("CONFLICT", "No authenticator app is being set up. Start with POST /auth/totp.");
    await useCode(ctx, userId, code);
    await ctx.db.updateTable("authenticators").set({ confirmed_at: ctx.now() }).where("user_id", "=", userId).execute();
    await recordAudit(ctx, call, { action: "account.two_step_on", subject: userId, account: userId });
    await mailSecurityNotice(ctx, userId, "factorOn");
    return { recoveryCodes: await replaceRecoveryCodes(ctx, userId) };
  });
  ctx.wakeJobs();
  return response;
};

/** `POST /auth/recovery-codes`: replaces the recovery codes. */
export const createRecoveryCodes: Operation<"createRecoveryCodes"> = async (ctx, call) => {
  requireProof(ctx, call);
  const { userId } = requireUser(call.actor);
  return await commitResponse(ctx, call, async (ctx) => {
    if (!(await hasSecondFactor(ctx.db, userId))) throw isOff();
    await recordAudit(ctx, call, { action: "account.recovery_codes_replaced", subject: userId, account: userId });
    return { recoveryCodes: await replaceRecoveryCodes(ctx, userId) };
  });
};

/** `DELETE /auth/totp`: turns two-step sign-in off. */
export const endTotp: Operation<"endTotp"> = async (ctx, call) => {
  requireProof(ctx, call);
  const { userId } = requireUser(call.actor);
  const response = await commitResponse(ctx, call, async (ctx) => {
    await deleteSecondFactor(ctx, userId, call);
    return { isOn: false };
  });
  ctx.wakeJobs();
  return response;
};

/**
 * `DELETE /admin/users/{id}/two-factor`: turns two-step sign-in off for a person who lost the app and the codes. Throws CONFLICT if it is off, and as
 * `getTrustedUser` does.
 */
export const resetUserTwoFactor: AdministratorOperation<"resetUserTwoFactor"> = async (ctx, call, { id }) => {
  const reset = await commitResponse(ctx, call, async (ctx) => {
    const user = await getTrustedUser(ctx.db, id);
    await deleteSecondFactor(ctx, user.id, call);
    return { id: user.id, email: addressOf(user) };
  });
  ctx.wakeJobs();
  return reset;
};

/** Deletes the second factor. Throws CONFLICT if two-step sign-in is off. */
async function deleteSecondFactor(ctx: TransactionCtx, userId: string, origin: AuditOrigin): Promise<void> {
  if (!(await hasSecondFactor(ctx.db, userId))) throw isOff();
  await deleteFactor(ctx.db, userId);
  await recordAudit(ctx, origin, { action: "account.two_step_off", subject: userId, account: userId });
  await mailSecurityNotice(ctx, userId, "factorOff");
}

async function findRow({ db }: TransactionCtx, userId: string): Promise<AuthenticatorRow | undefined> {
  return await db.selectFrom("authenticators").selectAll().where("user_id", "=", userId).executeTakeFirst();
}

const isOff = (): AppError => new AppError("CONFLICT", "Two-step sign-in is off.");
