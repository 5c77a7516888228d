import type { Ctx, RequestContext } from "../../context.ts";
import type { Channel } from "../../contract/channels.ts";
import { AppError } from "../../errors.ts";
import { ACCESS_TOKEN_PREFIX, type ProtectedResource } from "../../service/accounts/access-tokens.ts";
import type { Actor, UserActor } from "../../service/accounts/actor.ts";
import { authenticate, type Credential } from "../../service/accounts/authenticate.ts";
import { readApiKey } from "../reading/request-headers.ts";
import { requestLanguage } from "../responding/page-context.ts";
import type { HttpContext } from "../routing/env.ts";
import { identifyPerson } from "./session-cookie.ts";

export interface CallerOptions {
  /** Whether the query parameter `key` may contain the key if no header does. */
  readonly keyInQuery?: boolean;
  /** The prefix of tokens that the operation reads and that are not API keys. */
  readonly tokenPrefix?: string;
  /** Whether the response may have a cookie of a sign-in, which browsers store only for the configured site. */
  readonly setsCookie?: boolean;
  /** The key to use in place of the request's credentials; null treats the caller as anonymous. */
  readonly key?: string | null;
  /** Whether the handler checks by its own rule from which site the request comes. */
  readonly isSiteChecked?: boolean;
  /** Whether the request is not counted in the general rate limit. */
  readonly isUncounted?: boolean;
  /** For which resource an access token must be issued; the API by default. */
  readonly resource?: ProtectedResource;
}

/**
 * Identifies the caller of a request, and counts the request in the caller's general rate limit. Throws UNAUTHENTICATED for an invalid key,
 * RATE_LIMITED, or CROSS_SITE_REQUEST.
 */
export async function identifyCaller(c: HttpContext, channel: Channel, options: CallerOptions = {}): Promise<RequestContext> {
  const credential = options.key === undefined ? readCredential(c, options) : (options.key ?? undefined);
  if (credential === undefined && options.key === undefined) await identifyPerson(c);
  const person = credential === undefined ? c.env.person?.actor : undefined;
  if (person || (options.setsCookie && c.req.header("origin") !== undefined)) checkOwnPage(c);
  else if (credential === undefined && !options.isSiteChecked) checkSameSite(c);
  const isToken = options.tokenPrefix !== undefined && credential?.startsWith(options.tokenPrefix);
  const key = isToken ? undefined : credential;
  c.env.hasAccessToken = key?.startsWith(ACCESS_TOKEN_PREFIX) ?? false;
  const { resource = "api", isUncounted = false } = options;
  const actor = await authenticateAndCount(c, { person, key, resource, uncounted: isUncounted });
  return {
    actor,
    address: c.env.address,
    channel,
    userAgent: c.req.header("user-agent") ?? "",
    get language() {
      return requestLanguage(c);
    },
    ...(!isUncounted && {
      countRequests: (count) => countFurther(c, actor, count - 1),
      uncountRequests: (count) => uncount(c, actor, count),
    }),
  };
}

function readCredential(c: HttpContext, { keyInQuery }: CallerOptions): string | undefined {
  const sent = readApiKey(c);
  if (sent !== undefined || !keyInQuery) return sent;
  const key = c.env.url.searchParams.get("key") || undefined;
  if (key?.startsWith(ACCESS_TOKEN_PREFIX))
    throw new AppError("UNAUTHENTICATED", "Send the token of an application as `Authorization: Bearer <token>`, not in the address.");
  return key;
}

/** Checks that a change with a cookie of a session or sign-in comes from a page of the configured site. Throws CROSS_SITE_REQUEST. */
function checkOwnPage(c: HttpContext): void {
  if (c.req.method === "GET" || c.req.method === "HEAD") return;
  if (c.req.header("origin") === new URL(c.env.ctx.urls.siteUrl).origin) return;
  throw new AppError(
    "CROSS_SITE_REQUEST",
    `Requests of a browser that signs in or is signed in must come from ${c.env.ctx.urls.siteUrl}. Open the site there.`,
  );
}

/** Checks a browser's request from another site, which may only read public data (addresses, "Other sites"). Throws CROSS_SITE_REQUEST. */
function checkSameSite(c: HttpContext): void {
  const { ctx } = c.env;
  if (c.req.method === "GET" || c.req.method === "HEAD") return;
  const origin = c.req.header("origin");
  const site = c.req.header("sec-fetch-site");
  // The browser sets this header and pages cannot forge it. The site may be open under another name than the configured one.
  if (site === "same-origin") return;
  // Browsers omit `Sec-Fetch-Site` without TLS. A page of the requested host itself is not another site.
  const isOwnHost = site === undefined && origin !== undefined && URL.parse(origin)?.host === c.req.header("host");
  if (isOwnHost) return;
  const isOtherOrigin = origin !== undefined && !ownOrigins(ctx).has(origin);
  if (!isOtherOrigin && site !== "cross-site") return;
  if (origin !== undefined && ctx.config.allowedOrigins.includes(origin)) return;
  throw new AppError(
    "CROSS_SITE_REQUEST",
    "Pages of other sites can only read without a key. Send an API key, or ask the administrator to allow the site.",
  );
}

function ownOrigins(ctx: Ctx): Set<string> {
  const { siteUrl, apiUrl } = ctx.urls;
  return new Set([siteUrl, apiUrl].map((url) => new URL(url).origin));
}

/** Identifies the caller and counts the request. A request with an invalid key counts for its address. */
async function authenticateAndCount(
  c: HttpContext,
  { person, key, resource, uncounted }: Omit<Credential, "address"> & { person: UserActor | undefined; uncounted: boolean },
): Promise<Actor> {
  const { ctx, address } = c.env;
  try {
    const actor = person ?? (await authenticate(ctx, { key, address, resource }));
    // A page was already counted before its handler ran.
    if (!uncounted) c.env.rate ??= c.env.rates.consume({ actor, address }, 1);
    return actor;
  } catch (error) {
    if (error instanceof AppError && error.code === "UNAUTHENTICATED") c.env.rate ??= c.env.rates.consume({ actor: undefined, address }, 1);
    throw error;
  }
}

/** Reverses the count of requests for a call. */
function uncount(c: HttpContext, actor: Actor, count: number): void {
  if (c.env.rate) c.env.rate = c.env.rates.consume({ actor, address: c.env.address }, -count);
}

/** Counts requests up to the rest of the window: a large call succeeds, and the caller's next requests wait. */
function countFurther(c: HttpContext, actor: Actor, count: number): void {
  const cost = Math.min(count, c.env.rate?.remaining ?? 0);
  if (cost > 0) c.env.rate = c.env.rates.consume({ actor, address: c.env.address }, cost);
}
