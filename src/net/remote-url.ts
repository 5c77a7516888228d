import { AppError } from "../errors.ts";

const LONGEST = 8192;

/** A URL that may be asked for: http or https, without credentials. Throws URL_NOT_ALLOWED. */
export function checkRemoteUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || text.length > LONGEST) throw notAllowed("This is not a URL. Send one such as https://example.org/report.pdf.");
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw notAllowed("Only http and https URLs are possible. Send one such as https://example.org/report.pdf.");
  if (url.username !== "" || url.password !== "")
    throw notAllowed("The URL holds a user name or a password. Send one that works without, such as a signed download link.");
  return url;
}

/** The error for a URL that is not to be fetched, with a sentence about why. */
export const notAllowed = (message: string): AppError => new AppError("URL_NOT_ALLOWED", message);
