import { authenticate, readSentKey } from "../auth/authenticate.ts";
import type { Call, Ctx } from "../context.ts";
import type { Actor } from "../domain/actor.ts";
import { AppError } from "../errors.ts";
import type { HttpContext } from "./env.ts";

export interface CallOptions {
  /** Takes a key from the query parameter `key` where no header has one. */
  readonly keyInQuery?: boolean;
  /** What begins like this in a key's place is none: the operation reads it. */
  readonly tokenPrefix?: string;
  /** The general rate does not count this request. */
  readonly uncounted?: boolean;
}

/** Who makes this request, and what is known of it. Throws UNAUTHENTICATED for an invalid key, CROSS_SITE_REQUEST. */
export async function toCall(ctx: Ctx, c: HttpContext, route: string, options: CallOptions = {}): Promise<Call> {
  const sent = readSentKey(c.req.raw.headers) ?? (options.keyInQuery ? new URL(c.req.url).searchParams.get("key") || undefined : undefined);
  if (sent === undefined) checkSameSite(ctx, c);
  const key = options.tokenPrefix !== undefined && sent?.startsWith(options.tokenPrefix) ? undefined : sent;
  const actor = await authenticateCounted(ctx, c, { key, uncounted: options.uncounted ?? false });
  return {
    actor,
    requestId: c.env.requestId,
    address: c.env.address,
    route,
    userAgent: c.req.header("user-agent") ?? "",
    ...(!options.uncounted && { countRequests: (count) => countMore(c, actor, count - 1) }),
  };
}

/** What is left of the window is enough: what is asked for is not refused for its size, but what comes after it has to wait. */
function countMore(c: HttpContext, actor: Actor, wanted: number): void {
  const cost = Math.min(wanted, c.env.rate?.remaining ?? 0);
  if (cost > 0) c.env.rate = c.env.rates.take({ actor, address: c.env.address }, cost);
}

/** Also a key that is not valid counts, by its address. */
async function authenticateCounted(
  ctx: Ctx,
  c: HttpContext,
  { key, uncounted }: { key: string | undefined; uncounted: boolean },
): Promise<Actor> {
  const address = c.env.address;
  try {
    const actor = await authenticate(ctx, { key, address });
    // The page of a share was counted when it was asked for.
    if (!uncounted) c.env.rate ??= c.env.rates.take({ actor, address }, 1);
    return actor;
  } catch (error) {
    if (error instanceof AppError && error.code === "UNAUTHENTICATED") c.env.rate ??= c.env.rates.take({ actor: undefined, address }, 1);
    throw error;
  }
}

/** A page of another site may read public things in its visitor's browser, and do nothing else (decisions, "Addresses"). */
function checkSameSite(ctx: Ctx, c: HttpContext): void {
  if (c.req.method === "GET" || c.req.method === "HEAD") return;
  const origin = c.req.header("origin");
  const site = c.req.header("sec-fetch-site");
  // A browser's word, which no page can forge: this site may be open under another name than its configured one.
  if (site === "same-origin") return;
  const isForeign = origin !== undefined && !ownOrigins(ctx).has(origin);
  if (!isForeign && site !== "cross-site") return;
  if (origin !== undefined && ctx.config.allowedOrigins.includes(origin)) return;
  throw new AppError(
    "CROSS_SITE_REQUEST",
    "Pages of other sites may only read here without a key. Send an API key, or ask the operator to allow the site.",
  );
}

function ownOrigins(ctx: Ctx): Set<string> {
  const { siteUrl, baseUrl, contentUrl } = ctx.addresses;
  return new Set([siteUrl, baseUrl, contentUrl].map((url) => new URL(url).origin));
}
