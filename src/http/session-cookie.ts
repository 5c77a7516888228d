import { findSignedIn, rememberLanguage, SESSION_MS } from "../service/accounts/sessions.ts";
import type { HttpContext } from "./env.ts";
import { requestLanguage } from "./page-context.ts";
import { readCookie } from "./request-headers.ts";

/** Whether the request has the cookie of a session, which may have ended. */
export const hasSessionCookie = (c: HttpContext): boolean => readCookie(c, cookieName(c)) !== undefined;

/** Finds who is signed in by the request's cookie, for the handler and the page. */
export async function identifyPerson(c: HttpContext): Promise<void> {
  const token = readCookie(c, cookieName(c));
  if (token === undefined || c.env.person) return;
  c.env.person = await findSignedIn(c.env.ctx, token);
  if (c.env.person) await rememberLanguage(c.env.ctx, c.env.person, requestLanguage(c));
}

/** The `Set-Cookie` header that signs a browser in. */
export const signedInCookie = (c: HttpContext, token: string): string => toCookie(c, token, SESSION_MS / 1000);

/** The `Set-Cookie` header that signs a browser out. */
export const signedOutCookie = (c: HttpContext): string => toCookie(c, "", 0);

function toCookie(c: HttpContext, value: string, maxAgeSeconds: number): string {
  const secure = isSecure(c) ? "; Secure" : "";
  return `${cookieName(c)}=${value}; Path=/; Max-Age=${maxAgeSeconds}; SameSite=Lax; HttpOnly${secure}`;
}

/** With the prefix, browsers accept the cookie only over TLS, and no other host of the domain can set it. */
const cookieName = (c: HttpContext): string => (isSecure(c) ? "__Host-session" : "session");

const isSecure = (c: HttpContext): boolean => c.env.site.url.startsWith("https:");
