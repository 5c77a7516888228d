import type { Ctx, OAuthProvider, RequestContext, TransactionCtx } from "../../context.ts";
import { OAUTH_SCOPES, type OAuthScope } from "../../contract/oauth-scopes.ts";
import { type RedirectTarget, redirectTarget } from "../../lib/http/redirect-uri.ts";
import { largestScope, resourceUrls } from "../accounts/access-tokens.ts";
import { requireUser, requireVerified } from "../accounts/actor.ts";
import { requireProof } from "../accounts/proof.ts";
import { LIBRARY_PAGES, REFRESH_SCOPE } from "./provider.ts";
import { recordConnected } from "./record-connected.ts";

/** What an application asks an account for. */
export interface ConsentRequest {
  /** The name that the application gives itself; empty: it has no name. */
  readonly name: string;
  readonly redirectUri: string;
  readonly target: RedirectTarget;
  /** All that it may do, also what a larger scope includes. */
  readonly scopes: readonly OAuthScope[];
  /** The checked request, signed, for `decide`. */
  readonly signed: string;
}

/** What follows the request of an application (oauth, "Consent"). */
export type Authorization =
  | { readonly kind: "signIn" }
  | { readonly kind: "ask"; readonly request: ConsentRequest }
  /** The application is known, but its request is wrong: it is told so at this address if the person goes there. */
  | { readonly kind: "wrong"; readonly url: string; readonly error: string; readonly target: RedirectTarget }
  /** The application is unknown or named another address: nothing is sent there. */
  | { readonly kind: "refused" };

const PARAMETERS = ["response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method"] as const;

/** What an application gets that names no scopes. */
export const DEFAULT_SCOPES: readonly OAuthScope[] = ["files.read", "files.write"];

/** A part of the service as clients write it, some with a slash at the end. */
export const toResource = (resource: string): string => resource.replace(/\/$/, "");

/** Checks a request for consent (RFC 6749, 4.1.1). */
export async function beginAuthorization(ctx: Ctx, sent: URLSearchParams, sessionToken: string | undefined): Promise<Authorization> {
  const query = toQuery(ctx, sent);
  if (!query) return { kind: "refused" };
  const oauth = await ctx.oauth();
  const url = await redirectOf(await oauth.handle(ctx.db, { path: `/oauth2/authorize?${query}`, sessionToken }));
  if (url === undefined) return { kind: "refused" };
  if (isPage(url, LIBRARY_PAGES.signIn)) return { kind: "signIn" };
  if (isPage(url, LIBRARY_PAGES.consent)) return { kind: "ask", request: await describe(ctx, url.slice(url.indexOf("?") + 1)) };
  if (!isAnswer(url, sent)) return { kind: "refused" };
  const error = new URL(url).searchParams.get("error") ?? "";
  return { kind: "wrong", url: withIssuer(ctx, url), error, target: redirectTarget(url) };
}

/** What an application may have kept with its code. */
const MAX_STATE_CHARACTERS = 2000;

/** SHA-256 in base64url (RFC 7636, 4.2). */
const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Undefined if a parameter is sent twice, is too long or is no digest. */
function toQuery(ctx: Pick<Ctx, "urls">, sent: URLSearchParams): URLSearchParams | undefined {
  const query = new URLSearchParams();
  for (const name of [...PARAMETERS, "scope", "resource"]) {
    const [value, ...others] = sent.getAll(name);
    if (others.length > 0) return undefined;
    if (value !== undefined && value !== "") query.set(name, value);
  }
  const [state, challenge] = [query.get("state"), query.get("code_challenge")];
  if (state !== null && state.length > MAX_STATE_CHARACTERS) return undefined;
  if (challenge !== null && !CODE_CHALLENGE.test(challenge)) return undefined;
  query.set("resource", toResource(query.get("resource") ?? resourceUrls(ctx.urls).mcp));
  query.set("scope", `${withDefaults(query.get("scope") ?? "")} ${REFRESH_SCOPE}`);
  // The only one: errors of what is not supported would come in the fragment.
  query.set("response_mode", "query");
  // Anything on a device can pretend to be an application without a secret, so each request is shown to the person.
  query.set("prompt", "consent");
  return query;
}

/** Some clients ask everywhere for the same scopes; those that are unknown here are left out, and the response says which were given. */
export function withDefaults(scope: string): string {
  const asked = scope.split(" ");
  const scopes = OAUTH_SCOPES.filter((one) => asked.includes(one));
  return (scopes.length === 0 ? DEFAULT_SCOPES : scopes).join(" ");
}

/** Where the library sends the browser: as a redirect, or in JSON. */
async function redirectOf(response: Response): Promise<string | undefined> {
  const location = response.headers.get("location");
  if (location !== null) return location;
  const body: unknown = await response.json().catch(() => undefined);
  return typeof body === "object" && body !== null && "url" in body && typeof body.url === "string" ? body.url : undefined;
}

const isPage = (url: string, path: string): boolean => url.startsWith(`${path}?`);

/** Whether the library sends the browser to the address that was checked, and not to a page of its own that explains an error. */
const isAnswer = (url: string, sent: URLSearchParams): boolean => {
  const [given, asked] = [withoutQuery(url), withoutQuery(sent.get("redirect_uri") ?? "")];
  return given !== undefined && given === asked;
};

function withoutQuery(address: string): string | undefined {
  const url = URL.parse(address);
  if (url) url.search = "";
  return url?.href;
}

/** The issuer as the metadata has it (RFC 9207); the library's would have its own path. */
function withIssuer({ urls }: Pick<Ctx, "urls">, answer: string): string {
  const url = new URL(answer);
  url.searchParams.set("iss", urls.siteUrl);
  return url.href;
}

async function describe({ db }: Pick<Ctx, "db">, signed: string): Promise<ConsentRequest> {
  const query = new URLSearchParams(signed);
  const redirectUri = query.get("redirect_uri") ?? "";
  const { name } = await db
    .selectFrom("oauth_clients")
    .select("name")
    .where("client_id", "=", query.get("client_id") ?? "")
    .executeTakeFirstOrThrow();
  return { name, redirectUri, target: redirectTarget(redirectUri), scopes: includedScopes((query.get("scope") ?? "").split(" ")), signed };
}

/** The scopes with those that the largest includes. */
export function includedScopes(scopes: readonly string[]): OAuthScope[] {
  const largest = largestScope(scopes);
  return largest === undefined ? [] : OAUTH_SCOPES.slice(0, OAUTH_SCOPES.indexOf(largest) + 1);
}

export interface ConsentDecision {
  readonly signed: string;
  /** ID of the account that the page named. */
  readonly account: string;
  readonly allows: boolean;
  readonly sessionToken: string;
}

/**
 * Answers an application for the account of a session. Resolves to where the browser goes; undefined if the request is older than ten minutes or
 * altered, or the page named another account. Throws PROOF_REQUIRED and FORBIDDEN for an account that may not allow anything: what it
 * allows outlives its session.
 */
export async function decide(
  ctx: Ctx,
  call: RequestContext,
  { signed, account, allows, sessionToken }: ConsentDecision,
): Promise<string | undefined> {
  if (allows) requireConsentRights(ctx, call);
  if (account !== requireUser(call.actor).userId) return undefined;
  const oauth = await ctx.oauth();
  const answer = await ctx.transaction(async (ctx) => {
    const earlier = allows ? await findConsent(ctx, call, signed) : undefined;
    const url = await answerOf(ctx, oauth, { signed, allows, sessionToken });
    if (url === undefined) return undefined;
    if (allows) await completeConsent(ctx, call, { signed, earlier });
    return withIssuer(ctx, url);
  });
  ctx.wakeJobs();
  return answer;
}

/** Throws unless the caller may allow an application something. */
export function requireConsentRights(ctx: Pick<Ctx, "now">, call: RequestContext): void {
  requireVerified(call.actor);
  requireProof(ctx, call);
}

async function answerOf(
  ctx: TransactionCtx,
  oauth: OAuthProvider,
  { signed, allows, sessionToken }: Omit<ConsentDecision, "account">,
): Promise<string | undefined> {
  const body = { accept: allows, oauth_query: signed };
  const response = await oauth.handle(ctx.db, { path: "/oauth2/consent", sessionToken, body });
  return response.ok || response.status === 302 ? await redirectOf(response) : undefined;
}

const consentOf = ({ db }: TransactionCtx, call: RequestContext, signed: string) =>
  db
    .selectFrom("oauth_consents")
    .selectAll()
    .where("user_id", "=", requireVerified(call.actor).userId)
    .where("client_id", "=", new URLSearchParams(signed).get("client_id") ?? "");

async function findConsent(ctx: TransactionCtx, call: RequestContext, signed: string): Promise<readonly string[] | undefined> {
  const consent = await consentOf(ctx, call, signed).executeTakeFirst();
  return consent && JSON.parse(consent.scopes);
}

/** The consent shows all that the application's tokens may do, also those that it got before. */
async function completeConsent(
  ctx: TransactionCtx,
  call: RequestContext,
  { signed, earlier }: { readonly signed: string; readonly earlier?: readonly string[] | undefined },
): Promise<void> {
  const consent = await consentOf(ctx, call, signed).executeTakeFirstOrThrow();
  const scopes = includedScopes([...(earlier ?? []), ...JSON.parse(consent.scopes)]);
  const redirectUri = new URLSearchParams(signed).get("redirect_uri");
  await ctx.db
    .updateTable("oauth_consents")
    .set({ scopes: JSON.stringify([...scopes, REFRESH_SCOPE]), redirect_uri: redirectUri, used_at: ctx.now() })
    .where("id", "=", consent.id)
    .execute();
  await recordConnected(ctx, call, {
    consentId: consent.id,
    clientId: consent.client_id,
    userId: consent.user_id,
    scopes,
    redirectUri,
    isNew: earlier === undefined,
  });
}
