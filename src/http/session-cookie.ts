import { findSignedIn, rememberLanguage, SESSION_MS } from "../service/accounts/sessions.ts";
import { PENDING_MS } from "../service/sign-in/sign-in-with-code.ts";
import type { HttpContext } from "./env.ts";
import { requestLanguage } from "./page-context.ts";
import { readCookie } from "./request-headers.ts";

/** The cookies: of a session, and of a sign-in whose code is missing. */
type CookieName = "session" | "signin";

/** Whether the request has the cookie of a session, which may have ended. */
export const hasSessionCookie = (c: HttpContext): boolean => readCookie(c, fullName(c, "session")) !== undefined;

/** Finds who is signed in by the request's cookie, for the handler and the page. */
export async function identifyPerson(c: HttpContext): Promise<void> {
  const token = readCookie(c, fullName(c, "session"));
  if (token === undefined || c.env.person) return;
  c.env.person = await findSignedIn(c.env.ctx, token);
  if (c.env.person) await rememberLanguage(c.env.ctx, c.env.person, requestLanguage(c));
}

/** The `Set-Cookie` header that signs a browser in. */
export const signedInCookie = (c: HttpContext, token: string): string => toCookie(c, "session", token, SESSION_MS);

/** The `Set-Cookie` header that signs a browser out. */
export const signedOutCookie = (c: HttpContext): string => toCookie(c, "session", "", 0);

/** The token of a sign-in whose password was right. */
export const readSignInToken = (c: HttpContext): string | undefined => readCookie(c, fullName(c, "signin"));

/** The `Set-Cookie` header of a sign-in that waits for a code. */
export const startedSignInCookie = (c: HttpContext, token: string): string => toCookie(c, "signin", token, PENDING_MS);

/** The `Set-Cookie` header that forgets it. */
export const endedSignInCookie = (c: HttpContext): string => toCookie(c, "signin", "", 0);

function toCookie(c: HttpContext, name: CookieName, value: string, maxAgeMs: number): string {
  const secure = isSecure(c) ? "; Secure" : "";
  return `${fullName(c, name)}=${value}; Path=/; Max-Age=${maxAgeMs / 1000}; SameSite=Lax; HttpOnly${secure}`;
}

/** With the prefix, browsers accept the cookie only over TLS, and no other host of the domain can set it. */
const fullName = (c: HttpContext, name: CookieName): string => (isSecure(c) ? `__Host-${name}` : name);

const isSecure = (c: HttpContext): boolean => c.env.site.url.startsWith("https:");
