import { AppError } from "../errors.ts";

/** What went wrong on the way to or from another server → an error that says so; one that is ours already stays. */
export function toRemoteError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const codes = [...codesOf(error)];
  if (codes.some((code) => TIMEOUTS.includes(code)))
    return new AppError("REMOTE_TIMEOUT", "The remote server did not answer in time. Try again later, or another URL.", { cause: error });
  if (codes.some((code) => UNKNOWN_NAMES.includes(code)))
    return new AppError("REMOTE_HOST_UNKNOWN", "The host name of the URL is not known. Check its spelling, or try again later.", {
      cause: error,
    });
  if (codes.some((code) => code.startsWith("ERR_TLS") || /CERT|_SSL_|SSL_ERROR|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)))
    return new AppError("REMOTE_UNREACHABLE", "The remote server's certificate is not valid, so its bytes cannot be trusted.", {
      cause: error,
    });
  return new AppError("REMOTE_UNREACHABLE", "The remote server could not be reached, or the connection to it broke. Try again later.", {
    cause: error,
  });
}

const TIMEOUTS: readonly string[] = ["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"];
const UNKNOWN_NAMES: readonly string[] = ["ENOTFOUND", "EAI_AGAIN", "ENODATA", "EAI_NODATA", "EAI_NONAME", "DNS_ENOTFOUND", "DNS_ENODATA"];

function* codesOf(error: unknown): Generator<string> {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ("code" in at) yield String(at.code);
  }
}
