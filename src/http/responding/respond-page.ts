import { errorText } from "../../../web/site/error-text.ts";
import { type MessageKind, renderMessagePage } from "../../../web/site/message-page.tsx";
import type { PageContext } from "../../../web/site/page-context.ts";
import { type AppError, type ErrorCode, toAppError } from "../../errors.ts";
import { isClientGone } from "../reading/receive-body.ts";
import type { HttpContext } from "../routing/env.ts";
import { type PagePolicy, pageHeaders } from "../routing/response-headers.ts";
import { errorHeaders } from "./http-error.ts";
import { locationHeader } from "./location.ts";
import { languageCookie, pageContext } from "./page-context.ts";
import { encodePadded, encodeSigned, headLength } from "./respond.ts";
import { logFailure, respondClientGone } from "./respond-error.ts";

export interface Page extends PagePolicy {
  readonly status?: number;
  /** The refusal that the page explains, which determines the status and headers of the response. */
  readonly refusal?: AppError | undefined;
  readonly html: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the page shows a token, a code or a handoff link, so that it is not compressed (see `encodeText`). */
  readonly hasSecrets?: boolean;
  /** Whether the page lists links that only their owner may see, so that its compressed length is random. */
  readonly hasLinks?: boolean;
}

/** Responds with a page, compressed if the client accepts it, and without the body to HEAD. */
export async function respondPage(c: HttpContext, page: Page): Promise<Response> {
  const { refusal, status = refusal?.status ?? 200, html, headers = {}, hasSecrets = false, hasLinks = false, ...policy } = page;
  const { body, headers: encodingHeaders } = hasSecrets
    ? { body: html, headers: {} }
    : await (hasLinks ? encodePadded : encodeSigned)(c, html);
  return new Response(c.req.method === "HEAD" ? null : body, {
    status,
    headers: {
      ...pageHeaders(c.env.ctx, policy),
      ...encodingHeaders,
      ...headLength(c, body),
      ...languageCookie(c),
      ...(refusal && errorHeaders(refusal)),
      ...headers,
    },
  });
}

/** Redirects without caching. */
export const redirect = (c: HttpContext, status: 302 | 303, location: string): Response =>
  new Response(null, { status, headers: { ...pageHeaders(c.env.ctx), ...languageCookie(c), ...locationHeader(location) } });

const MESSAGE_OF: Partial<Record<ErrorCode, MessageKind>> = {
  PAYMENT_REQUIRED: "payment",
  UNLOCK_REQUIRED: "locked",
  UNLOCK_INVALID: "locked",
  CROSS_SITE_REQUEST: "crossSite",
  NOT_FOUND: "notFound",
  SCAN_BLOCKED: "blocked",
  SCAN_PENDING: "notReady",
  SIGNATURE_INVALID: "badSignedUrl",
  RATE_LIMITED: "tooManyRequests",
  UNAVAILABLE: "busy",
  INTERNAL: "error",
};

/** Kinds of messages whose own text is more specific than the error's. */
const KINDS_WITHOUT_DETAIL: ReadonlySet<MessageKind> = new Set(["error", "payment", "locked", "crossSite", "notFound"]);

/** Responds with a page that is only a message. */
export const respondMessage = (
  c: HttpContext,
  { kind, status }: { readonly kind: MessageKind; readonly status: number },
): Promise<Response> => respondPage(c, { status, html: renderMessagePage(pageContext(c), { kind }) });

/** Responds with a page, or to any error with a page that gives advice. */
export async function withErrorPage(c: HttpContext, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    return await respondErrorPage(c, error);
  }
}

/** Responds to any error with a page that gives advice. */
export async function respondErrorPage(c: HttpContext, thrown: unknown): Promise<Response> {
  if (isClientGone(thrown)) return respondClientGone();
  const error = toAppError(thrown);
  const kind = MESSAGE_OF[error.code] ?? "refused";
  logFailure(c, error);
  const page = pageContext(c);
  const html = renderMessagePage(page, {
    kind,
    detail: KINDS_WITHOUT_DETAIL.has(kind) ? undefined : describeError(page, error),
    requestId: kind === "error" ? c.env.requestId : undefined,
    siteUrl: c.env.ctx.urls.siteUrl,
  });
  return await respondPage(c, { html, refusal: error });
}

/** Returns the error's text in the language of the page, or its message, which is for programs, if the code has no text. */
export function describeError({ texts, language }: PageContext, error: AppError): string {
  const { code, message, fields, retryAfterSeconds } = error;
  return errorText(texts.errors, language, { ...fields, errorCode: code, retryAfterSeconds }) ?? message;
}
