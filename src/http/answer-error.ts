import { ERRORS, toAppError } from "../errors.ts";
import type { HttpContext } from "./env.ts";

/** Any error → its documented JSON answer; the inside of what was not expected goes to the log alone. */
export function answerError(c: HttpContext, thrown: unknown): Response {
  const error = toAppError(thrown);
  const requestId = c.env.requestId;
  if (error.status >= 500) c.env.log.error({ err: error.cause ?? error }, "request failed");
  const body = error.code === "INTERNAL" ? { ...error.toBody(), requestId } : error.toBody();
  return new Response(c.req.method === "HEAD" ? null : JSON.stringify(body), {
    status: ERRORS[error.code].status,
    headers: { "Content-Type": "application/json", "Cache-Control": "no-store", ...error.headers },
  });
}

/** The same as one line of text, for `curl -T`. */
export function answerErrorText(c: HttpContext, thrown: unknown): Response {
  const json = answerError(c, thrown);
  const error = toAppError(thrown);
  const headers = new Headers(json.headers);
  headers.set("Content-Type", "text/plain; charset=utf-8");
  return new Response(`${error.message}\n`, { status: json.status, headers });
}
