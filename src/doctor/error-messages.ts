import { SYSTEM_REASONS } from "../lib/system/system-reasons.ts";

const REASONS: Readonly<Record<string, string>> = {
  ...SYSTEM_REASONS,
  ECONNREFUSED: "nothing listens there",
  ConnectionRefused: "nothing listens there",
  ENOTFOUND: "the host name does not exist",
  EAI_AGAIN: "the name server does not respond",
  EHOSTUNREACH: "the host is unreachable",
  ENETUNREACH: "the network is unreachable",
  ECONNRESET: "the connection was closed",
  ConnectionClosed: "the connection was closed",
  FailedToOpenSocket: "the connection failed",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "no response in time",
  UND_ERR_HEADERS_TIMEOUT: "no response in time",
  ETIMEDOUT: "no response in time",
  TimeoutError: "no response in time",
  AbortError: "no response in time",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its certificate is signed by an unknown authority",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its certificate is signed by an unknown authority",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its certificate is signed by an unknown authority",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another name",
};

/** Messages of Deno's `fetch`, whose errors have no codes, and of mail errors, whose codes differ. */
const CODES_BY_MESSAGE: readonly (readonly [message: RegExp, code: string])[] = [
  [/connection refused|\bECONNREFUSED\b/i, "ECONNREFUSED"],
  [/dns error|\bENOTFOUND\b/i, "ENOTFOUND"],
  [/connection reset/i, "ECONNRESET"],
];

/** Describes an error by the first known code in its chain of causes, with the code; otherwise by the message of the innermost cause. */
export function explainError(error: unknown): string {
  let message = String(error);
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    message = cause.message.split("\n")[0] ?? "";
    const codes = [
      "code" in cause ? String(cause.code) : "",
      cause.name,
      CODES_BY_MESSAGE.find(([known]) => known.test(message))?.[1] ?? "",
    ];
    const known = codes.find((code) => Object.hasOwn(REASONS, code));
    if (known !== undefined) return `${REASONS[known]} (${known})`;
  }
  // A URL in the message may be signed.
  return message.replace(/https?:\/\/\S+?\?\S+/g, "the address");
}
