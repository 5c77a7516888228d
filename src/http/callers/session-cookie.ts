import { DAY_MS } from "../../lib/text/duration.ts";
import { findSignedIn, rememberLanguage } from "../../service/accounts/sessions.ts";
import { PENDING_MS } from "../../service/sign-in/sign-in-with-code.ts";
import { requestLanguage } from "../responding/page-context.ts";
import type { HttpContext } from "../routing/env.ts";
import { hostCookie, readHostCookie } from "./host-cookie.ts";

/** The cookies of a session, and of a sign-in whose code is missing. */
const SESSION = "session";
const SIGN_IN = "signin";

/** The longest time for which browsers keep a cookie. The session ends earlier, without a request (accounts, "Sessions of browsers"). */
const COOKIE_MS = 400 * DAY_MS;

/** Whether the request has the cookie of a session, which may have ended. */
export const hasSessionCookie = (c: HttpContext): boolean => sessionToken(c) !== undefined;

/** The token of the session of the request's cookie. */
export const sessionToken = (c: HttpContext): string | undefined => readHostCookie(c, SESSION);

/** Finds who is signed in by the request's cookie, for the handler and the page. */
export async function identifyPerson(c: HttpContext): Promise<void> {
  const token = sessionToken(c);
  if (token === undefined || c.env.person) return;
  c.env.person = await findSignedIn(c.env.ctx, token);
  if (c.env.person) await rememberLanguage(c.env.ctx, c.env.person, requestLanguage(c));
}

/** The `Set-Cookie` header that signs a browser in. */
export const signedInCookie = (c: HttpContext, token: string): string => hostCookie(c, SESSION, token, COOKIE_MS);

/** The `Set-Cookie` header that signs a browser out. */
export const signedOutCookie = (c: HttpContext): string => hostCookie(c, SESSION, "", 0);

/** The token of a sign-in whose password was right. */
export const readSignInToken = (c: HttpContext): string | undefined => readHostCookie(c, SIGN_IN);

/** The `Set-Cookie` header of a sign-in that waits for a code. */
export const startedSignInCookie = (c: HttpContext, token: string): string => hostCookie(c, SIGN_IN, token, PENDING_MS);

/** The `Set-Cookie` header that forgets it. */
export const endedSignInCookie = (c: HttpContext): string => hostCookie(c, SIGN_IN, "", 0);
