import { startedSignInCookie } from "../../../src/http/callers/session-cookie.ts";
import { redirect } from "../../../src/http/responding/respond-page.ts";
import type { HttpContext } from "../../../src/http/routing/env.ts";
import { SIGN_IN_CODE_PATH, withNext } from "../paths.ts";

/** Redirects a browser whose sign-in waits for a code to the page that asks for it. Stores the token in a cookie. */
export function toSecondStep(c: HttpContext, signInToken: string, next: string | undefined): Response {
  const response = redirect(c, 303, withNext(SIGN_IN_CODE_PATH, next));
  response.headers.append("Set-Cookie", startedSignInCookie(c, signInToken));
  return response;
}
