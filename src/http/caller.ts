import type { Ctx, RequestContext } from "../context.ts";
import { AppError } from "../errors.ts";
import type { Actor, UserActor } from "../service/accounts/actor.ts";
import { authenticate } from "../service/accounts/authenticate.ts";
import type { HttpContext } from "./env.ts";
import { requestLanguage } from "./page-context.ts";
import { readApiKey } from "./request-headers.ts";
import { identifyPerson } from "./session-cookie.ts";

export interface CallerOptions {
  /** Reads a key from the query parameter `key` if no header has one. */
  readonly keyInQuery?: boolean;
  /** A credential with this prefix is not an API key but a token, which the operation reads. */
  readonly tokenPrefix?: string;
  /** Treats the caller as anonymous. */
  readonly ignoresKey?: boolean;
  /** Does not count the request against the general rate limit. */
  readonly uncounted?: boolean;
}

/**
 * Finds who makes a request, and counts it for them against the general rate limit. Throws UNAUTHENTICATED for an invalid key, RATE_LIMITED,
 * or CROSS_SITE_REQUEST.
 */
export async function identifyCaller(c: HttpContext, channel: string, options: CallerOptions = {}): Promise<RequestContext> {
  const credential = options.ignoresKey ? undefined : readCredential(c, options);
  if (credential === undefined && !options.ignoresKey) await identifyPerson(c);
  const person = credential === undefined ? c.env.person?.actor : undefined;
  if (person) checkOwnPage(c);
  else if (credential === undefined) checkSameSite(c);
  const isToken = options.tokenPrefix !== undefined && credential?.startsWith(options.tokenPrefix);
  const actor = await authenticateAndCount(c, { person, key: isToken ? undefined : credential, uncounted: options.uncounted ?? false });
  return {
    actor,
    address: c.env.address,
    channel,
    userAgent: c.req.header("user-agent") ?? "",
    get language() {
      return requestLanguage(c);
    },
    ...(!options.uncounted && { countRequests: (count) => countFurther(c, actor, count - 1) }),
  };
}

function readCredential(c: HttpContext, { keyInQuery }: CallerOptions): string | undefined {
  return readApiKey(c) ?? (keyInQuery ? new URL(c.req.url).searchParams.get("key") || undefined : undefined);
}

/** What a browser changes with a session's cookie must come from a page of the configured site itself. Throws CROSS_SITE_REQUEST. */
function checkOwnPage(c: HttpContext): void {
  if (c.req.method === "GET" || c.req.method === "HEAD") return;
  if (c.req.header("origin") === new URL(c.env.ctx.urls.siteUrl).origin) return;
  throw new AppError(
    "CROSS_SITE_REQUEST",
    `Requests of a signed-in browser must come from ${c.env.ctx.urls.siteUrl}. Open the site there.`,
  );
}

/** In a browser, pages of other sites may only read public data (addresses, "Other sites"). Throws CROSS_SITE_REQUEST. */
function checkSameSite(c: HttpContext): void {
  const { ctx } = c.env;
  if (c.req.method === "GET" || c.req.method === "HEAD") return;
  const origin = c.req.header("origin");
  const site = c.req.header("sec-fetch-site");
  // The browser sets this header and pages cannot forge it. The site may be open under another name than the configured one.
  if (site === "same-origin") return;
  // Browsers omit `Sec-Fetch-Site` where there is no TLS. A page of the requested host itself is no other site.
  const isOwnHost = site === undefined && origin !== undefined && URL.parse(origin)?.host === c.req.header("host");
  if (isOwnHost) return;
  const isForeign = origin !== undefined && !ownOrigins(ctx).has(origin);
  if (!isForeign && site !== "cross-site") return;
  if (origin !== undefined && ctx.config.allowedOrigins.includes(origin)) return;
  throw new AppError(
    "CROSS_SITE_REQUEST",
    "Pages of other sites can only read without a key. Send an API key, or ask the administrator to allow the site.",
  );
}

function ownOrigins(ctx: Ctx): Set<string> {
  const { siteUrl, apiUrl, contentUrl } = ctx.urls;
  return new Set([siteUrl, apiUrl, contentUrl].map((url) => new URL(url).origin));
}

/** A request with an invalid key counts for its address. */
async function authenticateAndCount(
  c: HttpContext,
  { person, key, uncounted }: { person: UserActor | undefined; key: string | undefined; uncounted: boolean },
): Promise<Actor> {
  const { ctx, address } = c.env;
  try {
    const actor = person ?? (await authenticate(ctx, { key, address }));
    // A page was already counted before its handler ran.
    if (!uncounted) c.env.rate ??= c.env.rates.consume({ actor, address }, 1);
    return actor;
  } catch (error) {
    if (error instanceof AppError && error.code === "UNAUTHENTICATED") c.env.rate ??= c.env.rates.consume({ actor: undefined, address }, 1);
    throw error;
  }
}

/** Counts up to what is left of the window: a large call succeeds, and the caller's next requests wait. */
function countFurther(c: HttpContext, actor: Actor, count: number): void {
  const cost = Math.min(count, c.env.rate?.remaining ?? 0);
  if (cost > 0) c.env.rate = c.env.rates.consume({ actor, address: c.env.address }, cost);
}
