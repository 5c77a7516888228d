import { AppError, systemCode } from "../../errors.ts";

/** UNAVAILABLE: the server sent no response. */
export class ConnectionError extends AppError {
  constructor(
    readonly url: URL,
    cause: unknown,
  ) {
    super("UNAVAILABLE", `No response from the server at ${url.origin}: ${describe(url, cause)}`, { cause });
  }
}

const NO_ROUTE = "there is no route to it. Check your network connection and the address.";
const CLOSED = "the connection was closed. Try again; if it keeps happening, check that the address and the port are those of a filehost.";
const UNTRUSTED =
  "its certificate is not from an authority that this machine trusts. Name a file with the authority's certificate in NODE_EXTRA_CA_CERTS.";

/** The problem and its solution, by the code of the error. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused. Check the address and the port, and that the server runs.",
  ENOTFOUND: "no machine has that name. Check its spelling and your network connection.",
  EAI_AGAIN: "its name cannot be looked up now. Check your network connection.",
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  ENETDOWN: NO_ROUTE,
  ETIMEDOUT: "it did not answer in time. Check the address, or try again later.",
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  EPROTO: "it does not speak TLS on this port. Check the port, and whether the address begins with http://.",
  CERT_HAS_EXPIRED: "its certificate has expired. Ask its administrator to renew it.",
  CERT_NOT_YET_VALID: "its certificate is not valid yet. Check the clock of this machine.",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name. Use the address that its administrator gave you.",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_PROXY_TUNNEL: "the proxy refused to connect to it. Check the proxy's name and password.",
  UnsupportedProxyProtocol: "the proxy is not one of http:// or https://.",
};

function describe({ protocol, port }: URL, cause: unknown): string {
  const code = systemCode(cause);
  const reason = REASONS[code ?? ""] ?? "the connection failed. Check the address, or try again later.";
  const isUsualPort = port === "" || port === (protocol === "https:" ? "443" : "80");
  const fitting = isUsualPort ? reason.replace("the address and the port,", "the address,") : reason;
  return code === undefined ? fitting : fitting.replace(". ", ` (${code}). `);
}

/** Finds the variable that names the proxy for requests to `url`, and the proxy's host. Undefined without a proxy. */
export function proxyOf(
  { protocol, hostname, host }: URL,
  env: Readonly<Record<string, string | undefined>>,
): { readonly variable: string; readonly host: string } | undefined {
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const variable = [name.toLowerCase(), name, "all_proxy", "ALL_PROXY"].find((name) => env[name]);
  if (variable === undefined) return undefined;
  const exceptions = (env.no_proxy || env.NO_PROXY || "").split(",").map((text) => text.trim().replace(/^\*?\./, ""));
  const isExcepted = exceptions.some(
    (text) => text === "*" || text === host || text === hostname || (text !== "" && hostname.endsWith(`.${text}`)),
  );
  return isExcepted ? undefined : { variable, host: URL.parse(env[variable] ?? "")?.host || "that it names" };
}
