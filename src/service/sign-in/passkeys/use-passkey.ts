import type { Ctx, RequestContext, TransactionCtx } from "../../../context.ts";
import type { UserRow } from "../../../db/tables/accounts.ts";
import type { PasskeyRow } from "../../../db/tables/second-factors.ts";
import { AppError } from "../../../errors.ts";
import { toIso } from "../../../lib/text/iso-time.ts";
import { requireUser } from "../../accounts/actor.ts";
import { PROOF_MS } from "../../accounts/proof-of-identity.ts";
import { asAccount, recordAudit } from "../../audit-log/record-audit.ts";
import { commitResponse } from "../../idempotency.ts";
import type { Operation } from "../../operation.ts";
import { countAttempt } from "../attempts.ts";
import type { UsedCredential } from "../passkey-contract.ts";
import { mailSecurityNotice } from "../security-notice.ts";
import { requireSession } from "../sessions.ts";
import { startSession } from "../start-session.ts";
import { CHALLENGE_MS, type ChallengeUse, countChallenge, createChallenge, takeChallenge } from "./challenges.ts";
import { listPasskeyRows, toDescriptor } from "./queries.ts";
import { getRelyingParty } from "./relying-party.ts";
import { loadWebAuthn } from "./webauthn.ts";

/** `POST /auth/sign-in/passkey/options`: returns the options with which the browser finds a passkey of any account. */
export const startPasskeySignIn: Operation<"startPasskeySignIn"> = (ctx, call) => ask(ctx, call, { purpose: "sign-in", session_id: null });

/** `POST /auth/sign-in/passkey`: starts a session. The response does not distinguish unknown, disabled and invalid. */
export const signInWithPasskey: Operation<"signInWithPasskey"> = async (ctx, call, { credential }) => {
  const passkey = await usePasskey(ctx, call, credential, { purpose: "sign-in", session_id: null });
  if (!passkey) throw unknownPasskey();
  return await commitResponse(ctx, call, async (ctx) => {
    const user = await findOwner(ctx, passkey.id);
    if (!user) throw unknownPasskey();
    return await startSession(ctx, call, user);
  });
};

/** `POST /auth/prove/passkey/options`: returns the options with which the browser finds a passkey of the account. */
export const startPasskeyProof: Operation<"startPasskeyProof"> = async (ctx, call) => {
  const actor = requireUser(call.actor);
  const session_id = requireSession(actor);
  return await ask(ctx, call, { purpose: "prove", session_id }, await listPasskeyRows(ctx.db, actor.userId));
};

/** `POST /auth/prove/passkey`: proves that the account's owner uses the session of the request (accounts, "Proof"). */
export const proveWithPasskey: Operation<"proveWithPasskey"> = async (ctx, call, { credential }) => {
  const actor = requireUser(call.actor);
  const session_id = requireSession(actor);
  const passkey = await usePasskey(ctx, call, credential, { purpose: "prove", session_id });
  return await commitResponse(ctx, call, async (ctx) => {
    const owner = passkey && (await findOwner(ctx, passkey.id));
    if (owner?.id !== actor.userId)
      throw new AppError("FORBIDDEN", "This is not a passkey of the account, or it took longer than 5 minutes. Start again.");
    const nowMs = ctx.now();
    await ctx.db.updateTable("sessions").set({ proved_at: nowMs }).where("id", "=", session_id).execute();
    return { provedUntil: toIso(nowMs + PROOF_MS) };
  });
};

/** Creates the options. `allowed` lists the passkeys that the browser offers, by default all passkeys of the site. */
async function ask(ctx: Ctx, call: RequestContext, use: ChallengeUse, allowed: readonly PasskeyRow[] = []) {
  const site = getRelyingParty(ctx);
  await countChallenge(ctx, call);
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return await commitResponse(ctx, call, async (ctx) => {
    const options = await generateAuthenticationOptions({
      rpID: site.id,
      challenge: await createChallenge(ctx, use),
      timeout: CHALLENGE_MS,
      allowCredentials: allowed.filter(({ rp_id }) => rp_id === site.id).map(toDescriptor),
      userVerification: "required",
    });
    return { options: { ...options } };
  });
}

/** Finds the passkey that signed a challenge of this use, and counts the attempt and the use; undefined if the response is not valid. */
async function usePasskey(ctx: Ctx, call: RequestContext, credential: UsedCredential, use: ChallengeUse): Promise<PasskeyRow | undefined> {
  await countAttempt(ctx, { kind: "passkey", account: credential.id, address: call.address });
  const site = getRelyingParty(ctx);
  const challenge = await takeChallenge(ctx, credential.response.clientDataJSON, use);
  const passkey = await ctx.db.selectFrom("passkeys").selectAll().where("credential_id", "=", credential.id).executeTakeFirst();
  if (challenge === undefined || !passkey) return undefined;
  const counter = await verify(ctx, { site, challenge, credential, passkey });
  if (counter === undefined) return undefined;
  if (await countUse(ctx, passkey, counter)) return passkey;
  await refuseCopy(ctx, call, passkey);
  return undefined;
}

interface Signed {
  readonly site: { readonly id: string; readonly origin: string };
  readonly challenge: string;
  readonly credential: UsedCredential;
  readonly passkey: PasskeyRow;
}

/** Returns the device's counter; undefined if the signature, origin, site or account is wrong, or the device did not verify its user. */
async function verify(ctx: Ctx, { site, challenge, credential, passkey }: Signed): Promise<number | undefined> {
  const { userHandle } = credential.response;
  if (userHandle !== undefined && userHandle !== Buffer.from(passkey.user_id).toString("base64url")) return undefined;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...credential, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
      // `countUse` compares the counter, so that only one of two concurrent uses counts.
      credential: { id: passkey.credential_id, publicKey: new Uint8Array(Buffer.from(passkey.public_key, "base64url")), counter: 0 },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch (error) {
    ctx.log.info({ reason: String(error) }, "passkey refused");
    return undefined;
  }
}

/**
 * Records a use. Resolves to false if the device's counter was higher before, which means that the key was copied. Most devices do not count and send
 * 0.
 */
async function countUse({ db, now }: Ctx, { id }: PasskeyRow, counter: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("passkeys")
    .set({ counter, last_used_at: now() })
    .where("id", "=", id)
    .where((where) => where.or([where("counter", "<", counter), where.and([where("counter", "=", 0), where.val(counter === 0)])]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Notifies the owner that a copy of a passkey was used. Only somebody with its key can cause this. */
async function refuseCopy(ctx: Ctx, { address }: RequestContext, { user_id, name }: PasskeyRow): Promise<void> {
  ctx.log.warn({ userId: user_id }, "passkey refused: its counter went back, so it may be a copy");
  await ctx.transaction(async (ctx) => {
    const entry = { action: "account.passkey_copied", subject: user_id, account: user_id, details: { name } } as const;
    await recordAudit(ctx, asAccount(user_id, { address }), entry);
    await mailSecurityNotice(ctx, user_id, "passkeyCopied");
  });
  ctx.wakeJobs();
}

/** Finds the account of an existing passkey, unless the account is disabled. */
async function findOwner({ db }: TransactionCtx, passkeyId: string): Promise<UserRow | undefined> {
  return await db
    .selectFrom("passkeys")
    .innerJoin("users", "users.id", "passkeys.user_id")
    .selectAll("users")
    .where("passkeys.id", "=", passkeyId)
    .where("users.disabled_at", "is", null)
    .executeTakeFirst();
}

const unknownPasskey = (): AppError =>
  new AppError(
    "UNAUTHENTICATED",
    "This passkey does not match an account here, or it took longer than 5 minutes. Try again, or sign in with the password.",
  );
