/** Schemes that run a script, show a document, or start a part of the system in place of an application. */
const REFUSED_SCHEMES =
  /^(?:javascript|data|vbscript|blob|file|filesystem|ftps?|sftp|about|view-source|jar|mailto|tel|callto|sms|facetime.*|wss?|ssh|smb|telnet|vnc|rdp|ldaps?|intent|market|itms.*|search|res|shell|applescript|(?:chrome|edge|safari|firefox|moz|ms|search-ms|x-apple|microsoft)(?:-.*)?):$/;

/** Returns the reason why an application may not register a redirect URI (oauth, "Registration"), such as one of `ownHosts`; undefined if it may. */
export function redirectProblem(uri: string, ownHosts: ReadonlySet<string>): string | undefined {
  const url = /^[\x21-\x7e]+$/.test(uri) ? URL.parse(uri) : null;
  if (!url) return "is not an absolute URL in ASCII";
  if (uri.includes("#")) return "has a fragment";
  if (url.username !== "" || url.password !== "") return "has a user name";
  if (ownHosts.has(url.host)) return "is one of this service itself";
  if (url.protocol === "https:") return /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])$/.test(url.hostname) ? undefined : "has no usual host name";
  if (url.protocol === "http:") return isLoopback(url) ? undefined : "needs https, except on localhost, 127.0.0.1 and [::1]";
  if (REFUSED_SCHEMES.test(url.protocol)) return "has a scheme that is not one of an application";
  return /^[a-z][a-z0-9+.-]*:\/./i.test(uri) ? undefined : "needs a path after its scheme, such as app://callback";
}

const isLoopback = ({ hostname }: URL): boolean => hostname === "localhost" || hostname === "127.0.0.1" || hostname === "[::1]";

/** The receiver of a redirect: a site, or a program on the person's device, by its scheme if it has one. */
export type RedirectTarget =
  | { readonly kind: "site"; readonly host: string }
  | { readonly kind: "device" }
  | { readonly kind: "scheme"; readonly scheme: string };

/** Describes a redirect URI that `redirectProblem` allows. */
export function redirectTarget(uri: string): RedirectTarget {
  const url = new URL(uri);
  if (url.protocol !== "https:" && url.protocol !== "http:") return { kind: "scheme", scheme: url.protocol.slice(0, -1) };
  return url.protocol === "http:" ? { kind: "device" } : { kind: "site", host: url.host };
}

/** Returns the host or the scheme of the application that receives the redirect; null for a program on a device. */
export function redirectHost(redirectUri: string | null): string | null {
  if (redirectUri === null) return null;
  const target = redirectTarget(redirectUri);
  if (target.kind === "device") return null;
  return target.kind === "site" ? target.host : `${target.scheme}:`;
}
