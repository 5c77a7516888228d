import { type AppError, ERRORS, toAppError } from "../errors.ts";
import { answerClientGone, isClientGone } from "./client-gone.ts";
import type { HttpContext } from "./env.ts";
import { headLength } from "./head-length.ts";

/** Any error → its documented JSON answer; the inside of what was not expected goes to the log alone. */
export function answerError(c: HttpContext, thrown: unknown): Response {
  if (isClientGone(thrown)) return answerClientGone();
  const error = toAppError(thrown);
  const requestId = c.env.requestId;
  logFailure(c, error);
  const body = JSON.stringify(error.code === "INTERNAL" ? { ...error.toBody(), requestId } : error.toBody());
  return new Response(c.req.method === "HEAD" ? null : body, {
    status: ERRORS[error.code].status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...headLength(c, body), ...error.headers },
  });
}

/** What was not expected is an error with its stack; what has a name of its own, such as a remote server that refuses, is not. */
export function logFailure(c: HttpContext, error: AppError): void {
  if (error.code === "INTERNAL") c.env.log.error({ err: error.cause ?? error }, "request failed");
  else if (error.status >= 500) c.env.log.warn({ code: error.code, reason: error.message }, "request refused");
}

/** The same as one line of text, for `curl -T`. */
export function answerErrorText(c: HttpContext, thrown: unknown): Response {
  const json = answerError(c, thrown);
  const error = toAppError(thrown);
  const headers = new Headers(json.headers);
  headers.set("Content-Type", "text/plain; charset=utf-8");
  return new Response(`${error.message}\n`, { status: json.status, headers });
}
