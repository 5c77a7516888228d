import type { Ctx, RequestContext, TransactionCtx } from "../../../context.ts";
import type { UserRow } from "../../../db/tables/accounts.ts";
import type { ProviderFlowRow } from "../../../db/tables/sign-in.ts";
import { AppError } from "../../../errors.ts";
import { isEqualText } from "../../../lib/secrets/secrets.ts";
import { MINUTE_MS } from "../../../lib/text/duration.ts";
import { type Identity, ProviderError } from "../../../net/identity-provider.ts";
import { isCredentialLive } from "../../accounts/credential.ts";
import { checkEmail, MAX_NAME_CHARACTERS } from "../../accounts/users.ts";
import { recordAudit } from "../../audit-log/record-audit.ts";
import type { Output } from "../../contract.ts";
import { insertAccount, signUpTrust } from "../addresses.ts";
import { isMailedInvite, provesAddress, useInvite } from "../invites.ts";
import { needsCodeAfterProvider } from "../second-factor.ts";
import { mailSecurityNotice } from "../security-notice.ts";
import { insertPending } from "../sign-in-with-code.ts";
import { countSignUp } from "../sign-up.ts";
import { startSession } from "../start-session.ts";
import { sendVerification } from "../verification.ts";
import { logProviderError } from "./begin.ts";
import { checksOf, takeFlow } from "./flows.ts";
import { findUserOfIdentity, insertIdentity, type ProviderIdentity } from "./identities.ts";

/** The reason why a sign-in at the provider fails. */
export type ProviderRefusal =
  | ProviderError["kind"]
  /** The provider gave no email address. */
  | "noAddress"
  /** The address belongs to an account that is not connected to the identity. */
  | "taken"
  /** The identity is connected to another account. */
  | "elsewhere"
  /** Sign-up is not open. */
  | "closed"
  /** The invite is used, expired, or for another address. */
  | "invite"
  | "disabled"
  /** The provider did not ask for a password, or does not report it. */
  | "notProved";

export type ProviderOutcome =
  | { readonly kind: "signed-in"; readonly session: Output<"signIn">; readonly next: string | null }
  | { readonly kind: "code-needed"; readonly signInToken: string; readonly next: string | null }
  | { readonly kind: "connected" }
  | { readonly kind: "proved"; readonly next: string | null }
  | { readonly kind: "refused"; readonly reason: ProviderRefusal };

export interface ProviderResponse {
  /** The browser's secret of the sign-in; undefined without one. */
  readonly secret: string | undefined;
  readonly query: URLSearchParams;
}

/**
 * Finishes a sign-in at the configured provider with the query that the browser brings back. Throws RATE_LIMITED for a new account (accounts, "OpenID
 * Connect").
 */
export async function finishAtProvider(ctx: Ctx, call: RequestContext, { secret, query }: ProviderResponse): Promise<ProviderOutcome> {
  const { identityProvider, config } = ctx;
  // A link from another site must not end the sign-in that the browser has begun.
  const isOwn = secret !== undefined && isEqualText(query.get("state") ?? "", checksOf(secret).state);
  const flow = isOwn ? await takeFlow(ctx, secret) : undefined;
  if (!identityProvider || !config.oidc || secret === undefined || !flow) return refused("invalid");
  try {
    const identity = await identityProvider.identify(query, checksOf(secret));
    const arrival = { flow, identity, known: { issuer: config.oidc.issuer, subject: identity.subject } };
    return flow.purpose === "sign-in" ? await signIn(ctx, call, arrival) : await useInSession(ctx, call, arrival);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    logProviderError(ctx, error);
    return refused(error.kind);
  }
}

const refused = (reason: ProviderRefusal): ProviderOutcome => ({ kind: "refused", reason });

interface Arrival {
  readonly flow: ProviderFlowRow;
  readonly identity: Identity;
  readonly known: ProviderIdentity;
}

/** Connects the identity to the account of the session in which the sign-in was begun, or proves the session's owner. */
async function useInSession(ctx: Ctx, call: RequestContext, { flow, identity, known }: Arrival): Promise<ProviderOutcome> {
  const { actor } = call;
  if (actor.kind !== "user" || actor.sessionId === null || actor.sessionId !== flow.session_id) return refused("invalid");
  const outcome = await ctx.transaction(async (ctx): Promise<ProviderOutcome> => {
    // The session may have ended during the requests to the provider, for example by a new password.
    if (!(await isCredentialLive(ctx, actor))) return refused("invalid");
    const user = await findUserOfIdentity(ctx.db, known);
    if (user ? user.id !== actor.userId : flow.purpose === "prove") return refused("elsewhere");
    if (flow.purpose === "prove") return await prove(ctx, flow, identity);
    if (user) return { kind: "connected" };
    await insertIdentity(ctx, actor.userId, known);
    await recordAudit(ctx, call, { action: "account.provider_connected", subject: actor.userId, account: actor.userId });
    await mailSecurityNotice(ctx, actor.userId, "provider");
    return { kind: "connected" };
  });
  ctx.wakeJobs();
  return outcome;
}

/** Tolerated difference between the clocks of provider and server. */
const CLOCK_TOLERANCE_MS = MINUTE_MS;

async function prove({ db, now }: TransactionCtx, flow: ProviderFlowRow, { provedAtMs = 0 }: Identity): Promise<ProviderOutcome> {
  if (provedAtMs < flow.created_at - CLOCK_TOLERANCE_MS) return refused("notProved");
  await db.updateTable("sessions").set({ proved_at: now() }).where("id", "=", flow.session_id).execute();
  return { kind: "proved", next: flow.next };
}

async function signIn(ctx: Ctx, call: RequestContext, arrival: Arrival): Promise<ProviderOutcome> {
  const known = await ctx.transaction(async (ctx) => {
    const user = await findUserOfIdentity(ctx.db, arrival.known);
    return user && (await start(ctx, call, { user, arrival }));
  });
  if (known) return known;
  if (ctx.config.signUp !== "open" && arrival.flow.invite_hash === null) return refused("closed");
  if (arrival.identity.email === undefined) return refused("noAddress");
  await countSignUp(ctx, { address: call.address, ...(await describeAddress(ctx, arrival, arrival.identity.email.toLowerCase())) });
  try {
    const outcome = await ctx.transaction(async (ctx) => {
      const user = (await findUserOfIdentity(ctx.db, arrival.known)) ?? (await signUp(ctx, call, arrival));
      return await start(ctx, call, { user, arrival });
    });
    ctx.wakeJobs();
    return outcome;
  } catch (error) {
    const reason = error instanceof AppError ? SIGN_UP_REFUSALS[error.code] : undefined;
    if (reason === undefined) throw error;
    return refused(reason);
  }
}

async function describeAddress(ctx: Ctx, { flow, identity }: Arrival, email: string) {
  const isInvited = flow.invite_hash !== null && (await isMailedInvite(ctx, flow.invite_hash, email));
  return { email, isProved: identity.isEmailVerified || isInvited };
}

const SIGN_UP_REFUSALS: Partial<Record<AppError["code"], ProviderRefusal>> = {
  CONFLICT: "taken",
  FORBIDDEN: "invite",
  VALIDATION_FAILED: "noAddress",
};

/** Creates the account of an identity. Throws CONFLICT, FORBIDDEN and VALIDATION_FAILED. */
async function signUp(ctx: TransactionCtx, call: RequestContext, { flow, identity, known }: Arrival): Promise<SignedInUser> {
  const email = checkEmail(identity.email ?? "");
  const used = flow.invite_hash === null ? undefined : await useInvite(ctx, flow.invite_hash, email);
  const { language } = call;
  const isAdmin = used?.role === "admin";
  const isProved = identity.isEmailVerified || (used !== undefined && provesAddress(used));
  const trust = signUpTrust(ctx, { isProved, isAdmin });
  const user = await insertAccount(ctx, call, { email, name: toName(identity), tier: "free", isAdmin, trust, language });
  if (trust === "entered") await sendVerification(ctx, { ...user, language: language ?? null });
  await insertIdentity(ctx, user.id, known);
  return { ...user, disabled_at: null };
}

/** Returns the account name for a provider's identity: the person's name, or the start of the address if it has none. */
function toName({ name = "", email = "" }: Identity): string {
  const text = name
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, MAX_NAME_CHARACTERS)
    .trim();
  return text || (email.split("@")[0] ?? "");
}

type SignedInUser = Pick<UserRow, "id" | "name" | "email" | "disabled_at">;

async function start(
  ctx: TransactionCtx,
  call: RequestContext,
  { user, arrival }: { user: SignedInUser; arrival: Arrival },
): Promise<ProviderOutcome> {
  if (user.disabled_at !== null) return refused("disabled");
  const { next } = arrival.flow;
  if (await needsCodeAfterProvider(ctx, user.id)) return { kind: "code-needed", ...(await insertPending(ctx, user.id)), next };
  // A person who was already signed in at the provider has proved nothing now.
  const { provedAtMs = null } = arrival.identity;
  const session = await startSession(ctx, call, user, { provedAtMs: provedAtMs && Math.min(provedAtMs, ctx.now()) });
  return { kind: "signed-in", session, next };
}
