import type { Ctx, OAuthProvider, RequestContext, TransactionCtx } from "../../context.ts";
import { OAUTH_SCOPES, type OAuthScope } from "../../contract/oauth-scopes.ts";
import { type RedirectTarget, redirectTarget } from "../../lib/http/redirect-uri.ts";
import { largestScope, resourceUrls } from "../accounts/access-tokens.ts";
import { requireUser, requireVerified } from "../accounts/actor.ts";
import { requireProof } from "../accounts/proof-of-identity.ts";
import { LIBRARY_PAGES, REFRESH_SCOPE } from "./provider.ts";
import { recordConnected } from "./record-connected.ts";

/** The request of an application for an account's consent. */
export interface ConsentRequest {
  /** The name that the application gives itself; empty if it has none. */
  readonly name: string;
  readonly redirectUri: string;
  readonly target: RedirectTarget;
  /** All rights that the application gets, including the rights that a larger scope implies. */
  readonly scopes: readonly OAuthScope[];
  /** The checked request, signed, for `decide`. */
  readonly signed: string;
}

/** The result of an application's request (oauth, "Consent"). */
export type Authorization =
  | { readonly kind: "signIn" }
  | { readonly kind: "ask"; readonly request: ConsentRequest }
  /** The application is known, but its request is invalid: the browser can be sent to this URL with the error. */
  | { readonly kind: "wrong"; readonly url: string; readonly error: string; readonly target: RedirectTarget }
  /** The application is unknown or named another redirect URI: the browser is sent nowhere. */
  | { readonly kind: "refused" };

const PARAMETERS = ["response_type", "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method"] as const;

/** The scopes of an application that names none. */
export const DEFAULT_SCOPES: readonly OAuthScope[] = ["files.read", "files.write"];

/** Returns the identifier of a resource without the slash that some clients append. */
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

/** Maximum number of characters of an application's state. */
const MAX_STATE_CHARACTERS = 2000;

/** A SHA-256 in base64url (RFC 7636, 4.2). */
const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Converts the parameters; undefined if one is sent twice, is too long or is not a digest. */
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
  // Sets the only supported mode, because the library would send errors of other modes in the fragment.
  query.set("response_mode", "query");
  // Asks for consent each time, because any program on a device can pretend to be an application without a secret.
  query.set("prompt", "consent");
  return query;
}

/** Removes unknown scopes, because some clients ask every server for the same ones. The response names the granted scopes. */
export function withDefaults(scope: string): string {
  const asked = scope.split(" ");
  const scopes = OAUTH_SCOPES.filter((one) => asked.includes(one));
  return (scopes.length === 0 ? DEFAULT_SCOPES : scopes).join(" ");
}

/** Returns the URL to which the library sends the browser, from a redirect or from JSON. */
async function redirectOf(response: Response): Promise<string | undefined> {
  const location = response.headers.get("location");
  if (location !== null) return location;
  const body: unknown = await response.json().catch(() => undefined);
  return typeof body === "object" && body !== null && "url" in body && typeof body.url === "string" ? body.url : undefined;
}

const isPage = (url: string, path: string): boolean => url.startsWith(`${path}?`);

/** Returns whether the library sends the browser to the checked redirect URI, and not to its own page for errors. */
const isAnswer = (url: string, sent: URLSearchParams): boolean => {
  const [given, asked] = [withoutQuery(url), withoutQuery(sent.get("redirect_uri") ?? "")];
  return given !== undefined && given === asked;
};

function withoutQuery(address: string): string | undefined {
  const url = URL.parse(address);
  if (url) url.search = "";
  return url?.href;
}

/** Replaces the issuer by the one in the metadata (RFC 9207), because the library's issuer has another path. */
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

/** Returns the scopes, and the scopes that the largest of them includes. */
export function includedScopes(scopes: readonly string[]): OAuthScope[] {
  const largest = largestScope(scopes);
  return largest === undefined ? [] : OAUTH_SCOPES.slice(0, OAUTH_SCOPES.indexOf(largest) + 1);
}

export interface ConsentDecision {
  readonly signed: string;
  /** The ID of the account that the page named. */
  readonly account: string;
  readonly allows: boolean;
  readonly sessionToken: string;
}

/**
 * Answers an application for the account of a session. Resolves to the browser's next URL; undefined if the request is older than ten minutes or
 * altered, or the page named another account. Throws PROOF_REQUIRED, and FORBIDDEN for an account that may not grant consent, because consent
 * outlives the session.
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

/** Throws unless the caller may grant consent to an application. */
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

/** Stores the consent with all rights of the application's tokens, including the rights of earlier tokens. */
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
