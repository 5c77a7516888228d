import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type MessageKind, renderMessagePage } from "../../web/message-page.tsx";
import type { Ctx } from "../context.ts";
import { type ErrorCode, toAppError } from "../errors.ts";
import { logFailure } from "./answer-error.ts";
import { answerClientGone, isClientGone } from "./client-gone.ts";
import type { HttpContext } from "./env.ts";
import { headLength } from "./head-length.ts";
import { type PagePolicy, pageHeaders } from "./security.ts";

/** Whether the one who asks reads pages rather than JSON or lines of text. */
export const wantsPage = (c: HttpContext): boolean => (c.req.header("accept") ?? "").includes("text/html");

export interface Page extends PagePolicy {
  readonly status?: number;
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Whether the page shows a token, code or private address. Such a page is not compressed: its length would tell whether a text that somebody
   * else chose, such as a file's name, has a piece in common with the secret (BREACH).
   */
  readonly hasSecrets?: boolean;
}

const gzipped = promisify(gzip);

/** A whole page, compressed where the client takes that; to a HEAD, its headers. */
export async function answerPage(ctx: Pick<Ctx, "addresses" | "blobs">, c: HttpContext, page: Page): Promise<Response> {
  const { status = 200, html, headers = {}, hasSecrets = false, ...policy } = page;
  const compress = !hasSecrets && acceptsGzip(c);
  const body = compress ? await gzipped(html) : html;
  return new Response(c.req.method === "HEAD" ? null : body, {
    status,
    headers: {
      ...pageHeaders(ctx, policy),
      Vary: "Accept-Encoding",
      ...(compress && { "Content-Encoding": "gzip" }),
      ...headLength(c, body),
      ...headers,
    },
  });
}

/** Whether the client takes `gzip`, by its `Accept-Encoding`. */
export const acceptsGzip = (c: HttpContext): boolean =>
  /\bgzip\b(?!\s*;\s*q=0(?:\.0+)?\s*(?:,|$))/i.test(c.req.header("accept-encoding") ?? "");

/** On to another address, which no cache keeps. */
export const redirectPage = (ctx: Pick<Ctx, "addresses" | "blobs">, status: 302 | 303, location: string): Response =>
  new Response(null, { status, headers: { ...pageHeaders(ctx), Location: location } });

const MESSAGE_OF: Partial<Record<ErrorCode, MessageKind>> = {
  PAYMENT_REQUIRED: "payment",
  UNLOCK_REQUIRED: "locked",
  UNLOCK_INVALID: "locked",
  CROSS_SITE_REQUEST: "crossSite",
  NOT_FOUND: "missing",
  SCAN_BLOCKED: "blocked",
  SCAN_PENDING: "notReady",
  SIGNATURE_INVALID: "badAddress",
  RATE_LIMITED: "tooManyRequests",
  UNAVAILABLE: "busy",
  INTERNAL: "error",
};

/** Kinds that say it in words for people; the error's own are for programs. */
const SPEAK_FOR_THEMSELVES: ReadonlySet<MessageKind> = new Set(["error", "payment", "locked", "crossSite"]);

/** Any error as a page that says what to do. */
export async function errorPage(ctx: Pick<Ctx, "addresses" | "blobs">, c: HttpContext, thrown: unknown): Promise<Response> {
  if (isClientGone(thrown)) return answerClientGone();
  const error = toAppError(thrown);
  const kind = MESSAGE_OF[error.code] ?? "refused";
  logFailure(c, error);
  const html = renderMessagePage({
    kind,
    detail: SPEAK_FOR_THEMSELVES.has(kind) ? undefined : error.message,
    requestId: kind === "error" ? c.env.requestId : undefined,
  });
  return await answerPage(ctx, c, { status: error.status, html, headers: error.headers });
}
