import { type AppError, ERRORS, systemCode, toAppError } from "../../errors.ts";
import { oauthChallenge } from "../endpoints/oauth-challenge.ts";
import { isClientGone } from "../reading/receive-body.ts";
import type { HttpContext } from "../routing/env.ts";
import { errorHeaders } from "./http-error.ts";
import { headLength } from "./respond.ts";

/** The status of nginx for a request whose client closed the connection, which only the log shows. */
const CLIENT_GONE_STATUS = 499;

export const respondClientGone = (): Response => new Response(null, { status: CLIENT_GONE_STATUS });

/** Responds to any error with its documented JSON. The details of unexpected errors appear only in the log. */
export function respondError(c: HttpContext, thrown: unknown): Response {
  if (isClientGone(thrown)) return respondClientGone();
  const error = toAppError(thrown);
  const requestId = c.env.requestId;
  logFailure(c, error);
  const body = JSON.stringify(error.code === "INTERNAL" ? { ...error.toBody(), requestId } : error.toBody());
  return new Response(c.req.method === "HEAD" ? null : body, {
    status: ERRORS[error.code].status,
    headers: {
      "Content-Type": "application/json",
      "Cache-Control": "no-store",
      ...headLength(c, body),
      ...errorHeaders(error),
      ...oauthChallenge(c, error),
    },
  });
}

/** Logs an unexpected error with its stack, and a known server-side failure, such as of a remote server, as a warning. */
export function logFailure(c: HttpContext, error: AppError): void {
  if (error.code === "INTERNAL") c.env.log.error({ err: error.cause ?? error }, "request failed");
  else if (error.status >= 500)
    c.env.log.warn({ code: error.code, reason: error.message, ...describeCause(error.cause) }, "request refused");
}

/** The error of the operating system and its path, which only the log names. */
const describeCause = (cause: unknown): object =>
  cause instanceof Error && "path" in cause ? { systemCode: systemCode(cause), path: cause.path } : {};

/** Responds to any error with one line of text, for `curl -T`. */
export function respondErrorText(c: HttpContext, thrown: unknown): Response {
  const json = respondError(c, thrown);
  const error = toAppError(thrown);
  const headers = new Headers(json.headers);
  headers.set("Content-Type", "text/plain; charset=utf-8");
  return new Response(`${error.message}\n`, { status: json.status, headers });
}
