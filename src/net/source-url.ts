import { AppError } from "../errors.ts";

const MAX_URL_LENGTH = 8192;

/** Parses a URL that may be fetched: http or https, without credentials. Throws URL_NOT_ALLOWED. */
export function checkSourceUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || text.length > MAX_URL_LENGTH) throw notAllowed("This is not a URL. Send one such as https://example.org/report.pdf.");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw notAllowed("Only http and https URLs are supported. Send one such as https://example.org/report.pdf.");
  if (url.username !== "" || url.password !== "")
    throw notAllowed("The URL contains a user name or a password. Send one without, such as a signed URL.");
  return url;
}

/** Creates the error URL_NOT_ALLOWED with a reason. */
export const notAllowed = (message: string): AppError => new AppError("URL_NOT_ALLOWED", message);

/** Translates a network error to an AppError; returns an AppError unchanged. */
export function toImportSourceError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  const codes = [...codesOf(error)];
  if (codes.some((code) => TIMEOUTS.includes(code)))
    return new AppError("REMOTE_TIMEOUT", "The remote server did not respond in time. Try again later, or use another URL.", {
      cause: error,
    });
  if (codes.some((code) => UNKNOWN_NAMES.includes(code)))
    return new AppError("REMOTE_HOST_UNKNOWN", "The URL's host name does not exist. Check its spelling, or try again later.", {
      cause: error,
    });
  if (codes.some((code) => code.startsWith("ERR_TLS") || /CERT|_SSL_|SSL_ERROR|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code)))
    return new AppError("REMOTE_UNREACHABLE", "The remote server's certificate is not valid. Use another URL, or upload the file.", {
      cause: error,
    });
  return new AppError("REMOTE_UNREACHABLE", "The remote server cannot be reached, or closed the connection. Try again later.", {
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
