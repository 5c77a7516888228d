/** The server that accepts this site's mail. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** The use of TLS. `implicit`: from the first byte; `starttls`: required before anything else is sent; `off`: never. */
  readonly tls: "implicit" | "starttls" | "off";
  readonly credentials: { readonly user: string; readonly password: string } | undefined;
}

export interface MailAddress {
  /** The name; empty for none. */
  readonly name: string;
  readonly address: string;
}

/** The settings of the site's mail. */
export interface MailSettings {
  readonly server: SmtpServer;
  readonly from: MailAddress;
}

const PORTS = { "smtp:": 587, "smtps:": 465 } as const;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** Returns whether a name is this machine's, to which mail needs no TLS. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host);

/** Parses `smtp://USER:PASSWORD@HOST:PORT`, `smtps://…`, and `?tls=on` or `?tls=off`; undefined for other text (mail, "The connection"). */
export function parseSmtpUrl(text: string): SmtpServer | undefined {
  const url = URL.parse(text);
  if (!url || !isSmtp(url.protocol) || url.hostname === "" || !/^\/?$/.test(url.pathname) || url.hash !== "") return undefined;
  if (!/^(?:\?tls=(?:on|off))?$/.test(url.search) || (url.search !== "" && url.protocol === "smtps:")) return undefined;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const credentials = toCredentials(url);
  if (credentials === "unreadable") return undefined;
  const isPlain = url.search === "" ? isLoopback(host) : url.search === "?tls=off";
  const tls = url.protocol === "smtps:" ? "implicit" : isPlain ? "off" : "starttls";
  return { host, port: Number(url.port) || PORTS[url.protocol], tls, credentials };
}

const isSmtp = (protocol: string): protocol is keyof typeof PORTS => protocol in PORTS;

function toCredentials({ username, password }: URL): SmtpServer["credentials"] | "unreadable" {
  if (username === "") return password === "" ? undefined : "unreadable";
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) };
  } catch {
    return "unreadable";
  }
}

/** Parses `Name <address>` or an address, which is not checked; undefined for other text, and for a name of several lines. */
export function parseMailAddress(text: string): MailAddress | undefined {
  const [, name = "", bracketed, bare] = /^\s*(?:([^<>]*)<([^<>\s]+)>|([^<>\s]+))\s*$/.exec(text) ?? [];
  const address = bracketed ?? bare;
  if (address === undefined || /\p{Cc}/u.test(text)) return undefined;
  return { name: name.trim().replace(/^"(.*)"$/, "$1"), address };
}
