import type { Ctx, RequestContext, TransactionCtx } from "../../../context.ts";
import type { PasskeyRow } from "../../../db/tables/second-factors.ts";
import { AppError } from "../../../errors.ts";
import { newUuid } from "../../../lib/secrets/ids.ts";
import { requireVerified } from "../../accounts/actor.ts";
import { requireProof } from "../../accounts/proof-of-identity.ts";
import { addressOf, getUser } from "../../accounts/users.ts";
import { recordAudit } from "../../audit-log/record-audit.ts";
import { commitResponse } from "../../idempotency.ts";
import type { Operation } from "../../operation.ts";
import { type NewCredential, PASSKEY } from "../passkey-contract.ts";
import { mailSecurityNotice } from "../security-notice.ts";
import { requireSession } from "../sessions.ts";
import { CHALLENGE_MS, countChallenge, createChallenge, takeChallenge } from "./challenges.ts";
import { toPasskeyView } from "./manage-passkeys.ts";
import { passkeyProviderName } from "./provider-names.ts";
import { listPasskeyRows, toDescriptor } from "./queries.ts";
import { getRelyingParty } from "./relying-party.ts";
import { loadWebAuthn } from "./webauthn.ts";

/** EdDSA, ES256 and RS256, which every runtime verifies. */
const ALGORITHMS = [-8, -7, -257];

/** `POST /auth/passkeys/options`: returns the options with which the browser creates a passkey for the account. */
export const startPasskey: Operation<"startPasskey"> = async (ctx, call) => {
  const { userId, sessionId } = requireOwner(ctx, call);
  const site = getRelyingParty(ctx);
  await countChallenge(ctx, call);
  const { generateRegistrationOptions } = await loadWebAuthn();
  return await commitResponse(ctx, call, async (ctx) => {
    const user = await getUser(ctx.db, userId);
    const passkeys = await listPasskeyRows(ctx.db, userId);
    checkCount(passkeys);
    const options = await generateRegistrationOptions({
      rpName: ctx.config.branding.name,
      rpID: site.id,
      userID: new TextEncoder().encode(userId),
      userName: addressOf(user),
      userDisplayName: user.name,
      challenge: await createChallenge(ctx, { purpose: "add", session_id: sessionId }),
      timeout: CHALLENGE_MS,
      excludeCredentials: passkeys.filter(({ rp_id }) => rp_id === site.id).map(toDescriptor),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      supportedAlgorithmIDs: ALGORITHMS,
    });
    return { options: { ...options } };
  });
};

/** `POST /auth/passkeys`: adds the passkey that the browser created. */
export const addPasskey: Operation<"addPasskey"> = async (ctx, call, { credential, name }) => {
  const { userId, sessionId } = requireOwner(ctx, call);
  const added = await verifyNew(ctx, credential, sessionId);
  if (!added)
    throw new AppError(
      "FORBIDDEN",
      "This passkey could not be added: it was made elsewhere, or it took longer than 5 minutes. Start again.",
    );
  const response = await commitResponse(ctx, call, async (ctx) => {
    const { keeper, ...columns } = added;
    const row = await insertPasskey(ctx, { ...columns, user_id: userId, name: name || keeper });
    await recordAudit(ctx, call, { action: "account.passkey_added", subject: userId, account: userId, details: { name: row.name } });
    await mailSecurityNotice(ctx, userId, "passkeyAdded");
    return toPasskeyView(ctx, row);
  });
  ctx.wakeJobs();
  return response;
};

/**
 * Returns the session whose account gets a passkey. Requires the rights of the owner, because a passkey outlives the session and signs in without a
 * second factor.
 */
function requireOwner(ctx: Ctx, call: RequestContext): { readonly userId: string; readonly sessionId: string } {
  requireProof(ctx, call);
  const user = requireVerified(call.actor);
  return { userId: user.userId, sessionId: requireSession(user) };
}

type Verified = Pick<PasskeyRow, "rp_id" | "credential_id" | "public_key" | "counter" | "transports"> & { readonly keeper: string };

/** Returns the columns of a passkey that the browser created for this session; undefined if it is not valid. */
async function verifyNew(ctx: Ctx, credential: NewCredential, sessionId: string): Promise<Verified | undefined> {
  const site = getRelyingParty(ctx);
  const challenge = await takeChallenge(ctx, credential.response.clientDataJSON, { purpose: "add", session_id: sessionId });
  if (challenge === undefined) return undefined;
  const { verifyRegistrationResponse } = await loadWebAuthn();
  try {
    const { registrationInfo } = await verifyRegistrationResponse({
      response: { ...credential, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    if (!registrationInfo) return undefined;
    const { id, publicKey, counter } = registrationInfo.credential;
    return {
      rp_id: site.id,
      credential_id: id,
      public_key: publicKey.toBase64({ alphabet: "base64url", omitPadding: true }),
      counter,
      transports: JSON.stringify(credential.response.transports ?? []),
      keeper: passkeyProviderName(registrationInfo.aaguid),
    };
  } catch (error) {
    ctx.log.info({ reason: String(error) }, "new passkey refused");
    return undefined;
  }
}

async function insertPasskey({ db, now, random }: TransactionCtx, columns: Omit<PasskeyRow, "id" | "created_at" | "last_used_at">) {
  checkCount(await listPasskeyRows(db, columns.user_id));
  if (await db.selectFrom("passkeys").select("id").where("credential_id", "=", columns.credential_id).executeTakeFirst())
    throw new AppError("CONFLICT", "This passkey was added before. Use it to sign in, or add another one.");
  const nowMs = now();
  const row: PasskeyRow = { ...columns, id: newUuid(random, nowMs), created_at: nowMs, last_used_at: null };
  await db.insertInto("passkeys").values(row).execute();
  return row;
}

function checkCount(passkeys: readonly PasskeyRow[]): void {
  if (passkeys.length < PASSKEY.maxCount) return;
  throw new AppError("CONFLICT", `The account has ${PASSKEY.maxCount} passkeys, the largest number. Remove one first.`);
}
