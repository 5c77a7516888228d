import { authenticate, readSentKey } from "../auth/authenticate.ts";
import type { Call, Ctx } from "../context.ts";
import { AppError } from "../errors.ts";
import type { HttpContext } from "./env.ts";

/** Who makes this request, and what is known of it. Throws UNAUTHENTICATED for an invalid key, CROSS_SITE_REQUEST. */
export async function toCall(ctx: Ctx, c: HttpContext, route: string): Promise<Call> {
  const key = readSentKey(c.req.raw.headers);
  if (key === undefined) checkSameSite(ctx, c);
  return {
    actor: await authenticate(ctx, { key, address: c.env.address }),
    requestId: c.env.requestId,
    address: c.env.address,
    route,
    userAgent: c.req.header("user-agent") ?? "",
  };
}

/** A page of another site may read public things in its visitor's browser, and do nothing else (decisions, "Addresses"). */
function checkSameSite(ctx: Ctx, c: HttpContext): void {
  if (c.req.method === "GET" || c.req.method === "HEAD") return;
  const origin = c.req.header("origin");
  const isForeign = origin !== undefined && !ownOrigins(ctx).has(origin);
  if (!isForeign && c.req.header("sec-fetch-site") !== "cross-site") return;
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
