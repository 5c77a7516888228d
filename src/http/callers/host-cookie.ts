import { readCookie, readCookies } from "../reading/request-headers.ts";
import type { HttpContext } from "../routing/env.ts";

/** Returns the value of a cookie that `hostCookie` set; undefined if the request has none. */
export const readHostCookie = (c: HttpContext, name: string): string | undefined => readCookie(c, prefixed(c, name));

/** Returns the `Set-Cookie` header of a cookie that scripts cannot read and that is sent only to this host. An age of 0 deletes it. */
export function hostCookie(c: HttpContext, name: string, value: string, maxAgeMs: number): string {
  const secure = isSecure(c) ? "; Secure" : "";
  return `${prefixed(c, name)}=${value}; Path=/; Max-Age=${maxAgeMs / 1000}; SameSite=Lax; HttpOnly${secure}`;
}

/** Returns the values of all cookies that `pathCookie` set with names that begin with a prefix. */
export const readPathCookies = (c: HttpContext, prefix: string): readonly string[] => readCookies(c, withSecurePrefix(c, prefix));

/** Returns the `Set-Cookie` header of a cookie that scripts cannot read and that is sent only to this host and below a path. */
export function pathCookie(c: HttpContext, name: string, value: string, { path, maxAgeMs }: { path: string; maxAgeMs: number }): string {
  const secure = isSecure(c) ? "; Secure" : "";
  return `${withSecurePrefix(c, name)}=${value}; Path=${path}; Max-Age=${Math.floor(maxAgeMs / 1000)}; SameSite=Lax; HttpOnly${secure}`;
}

/** Adds a prefix with which browsers accept the cookie only over TLS. */
const withSecurePrefix = (c: HttpContext, name: string): string => (isSecure(c) ? `__Secure-${name}` : name);

/** Adds a prefix with which browsers accept the cookie only over TLS and only from this host, not from another one of the domain. */
const prefixed = (c: HttpContext, name: string): string => (isSecure(c) ? `__Host-${name}` : name);

const isSecure = (c: HttpContext): boolean => c.env.site.url.startsWith("https:");
