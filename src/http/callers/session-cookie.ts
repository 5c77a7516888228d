import { TIME_ZONE_COOKIE } from "../../../web/site/time-zone.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import { findSignedIn, rememberLanguage } from "../../service/accounts/sessions.ts";
import { PENDING_MS } from "../../service/sign-in/sign-in-with-code.ts";
import { requestLanguage } from "../responding/page-context.ts";
import type { HttpContext } from "../routing/env.ts";
import { hostCookie, readHostCookie } from "./host-cookie.ts";

/** Names of the cookies of a session, and of a sign-in that waits for its code. */
const SESSION = "session";
const SIGN_IN = "signin";

/** Maximum time for which browsers store a cookie. A session without requests ends earlier (accounts, "Sessions of browsers"). */
const COOKIE_MS = 400 * DAY_MS;

/** Returns whether the request has the cookie of a session, which may have ended. */
export const hasSessionCookie = (c: HttpContext): boolean => sessionToken(c) !== undefined;

/** Returns the token of the session in the request's cookie. */
export const sessionToken = (c: HttpContext): string | undefined => readHostCookie(c, SESSION);

/** Identifies the signed-in person by the request's cookie, for the handler and the page. */
export async function identifyPerson(c: HttpContext): Promise<void> {
  const token = sessionToken(c);
  if (token === undefined || c.env.person) return;
  c.env.person = await findSignedIn(c.env.ctx, token);
  if (c.env.person) await rememberLanguage(c.env.ctx, c.env.person, requestLanguage(c));
}

/** Returns the `Set-Cookie` header that signs a browser in. */
export const signedInCookie = (c: HttpContext, token: string): string => hostCookie(c, SESSION, token, COOKIE_MS);

/** Signs the browser out by its response: deletes the cookie of the session, and that of the person's time zone. */
export function signOutBrowser(c: HttpContext, { headers }: Response): void {
  headers.append("Set-Cookie", `${TIME_ZONE_COOKIE}=; Path=/; Max-Age=0`);
  headers.append("Set-Cookie", hostCookie(c, SESSION, "", 0));
}

/** Returns the token of a sign-in whose password was right. */
export const readSignInToken = (c: HttpContext): string | undefined => readHostCookie(c, SIGN_IN);

/** Returns the `Set-Cookie` header of a sign-in that waits for a code. */
export const startedSignInCookie = (c: HttpContext, token: string): string => hostCookie(c, SIGN_IN, token, PENDING_MS);

/** Returns the `Set-Cookie` header that deletes the cookie of a sign-in. */
export const endedSignInCookie = (c: HttpContext): string => hostCookie(c, SIGN_IN, "", 0);
