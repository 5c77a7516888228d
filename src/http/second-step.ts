import { SIGN_IN_CODE_PATH } from "../../web/account/paths.ts";
import type { AppError } from "../errors.ts";
import type { HttpContext } from "./env.ts";
import { redirect } from "./respond-page.ts";
import { startedSignInCookie } from "./session-cookie.ts";

/**
 * Sends a browser whose password was right to the page that asks for a code; undefined for another error. Its token is kept in a cookie.
 */
export function toSecondStep(c: HttpContext, { code, fields }: AppError, next: string | undefined): Response | undefined {
  if (code !== "SECOND_FACTOR_REQUIRED" || fields.signInToken === undefined) return undefined;
  const response = redirect(c, 303, withNext(SIGN_IN_CODE_PATH, next));
  response.headers.append("Set-Cookie", startedSignInCookie(c, fields.signInToken));
  return response;
}

/** The path of a page that goes on to `next` afterwards. */
export const withNext = (path: string, next: string | undefined): string =>
  next === undefined ? path : `${path}?next=${encodeURIComponent(next)}`;
