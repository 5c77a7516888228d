const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not",
  EPERM: "this user may not",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota of the disk is used up",
  ENOENT: "it is not there",
  ENOTDIR: "a part of the path is not a folder",
  EIO: "the disk reports an error",
  ECONNREFUSED: "nothing listens there",
  ConnectionRefused: "nothing listens there",
  ENOTFOUND: "there is no such host name",
  EAI_AGAIN: "the name server does not answer",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  ECONNRESET: "the connection was cut",
  ConnectionClosed: "the connection was cut",
  FailedToOpenSocket: "the connection cannot be made",
  UND_ERR_SOCKET: "the connection was cut",
  UND_ERR_CONNECT_TIMEOUT: "no answer in time",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  ETIMEDOUT: "no answer in time",
  TimeoutError: "no answer in time",
  AbortError: "no answer in time",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is signed by itself alone",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an authority that is not known here",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by an authority that is not known here",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is signed by an authority that is not known here",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
};

/** How Deno's `fetch`, whose errors have no codes, says the same. */
const SAYINGS: readonly (readonly [says: RegExp, code: string])[] = [
  [/connection refused/i, "ECONNREFUSED"],
  [/dns error/i, "ENOTFOUND"],
  [/connection reset/i, "ECONNRESET"],
];

/** Why something did not work, in words, by the codes of the systems below and with them; else what its innermost cause says of itself. */
export function reasonOf(error: unknown): string {
  let said = String(error);
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    said = cause.message.split("\n")[0] ?? "";
    const codes = ["code" in cause ? String(cause.code) : "", cause.name, SAYINGS.find(([says]) => says.test(said))?.[1] ?? ""];
    const known = codes.find((code) => Object.hasOwn(REASONS, code));
    if (known !== undefined) return `${REASONS[known]} (${known})`;
  }
  // An address that was asked may be one that gives rights.
  return said.replace(/https?:\/\/\S+?\?\S+/g, "the address");
}

/** The code of an error of the operating system; undefined for others. */
export const systemCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
