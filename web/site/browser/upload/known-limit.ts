/** The largest request that the proxy in front of this site forwards, as this browser has found. */
import { DAY_MS } from "../../../../src/lib/text/duration.ts";
import { type BodyLimit, createBodyLimit, MIN_BODY_BYTES } from "../../../../src/transfer/body-limit.ts";

const KEY = "filehost.bodyLimit";
/** The age of a limit after which larger requests are tried again, because the proxy may have been configured meanwhile. */
const MAX_AGE_MS = 7 * DAY_MS;

/** Opens the limit that this browser has found; without storage, each upload finds it again. */
export function knownBodyLimit(): BodyLimit {
  return createBodyLimit(find(), (maxBytes) => {
    try {
      localStorage.setItem(KEY, JSON.stringify({ maxBytes, atMs: Date.now() }));
    } catch {
      // The browser allows no storage.
    }
  });
}

function find(): number | undefined {
  try {
    const { maxBytes, atMs } = JSON.parse(localStorage.getItem(KEY) ?? "{}") as { maxBytes?: unknown; atMs?: unknown };
    const isValid = typeof maxBytes === "number" && maxBytes >= MIN_BODY_BYTES && typeof atMs === "number";
    return isValid && Math.abs(Date.now() - atMs) < MAX_AGE_MS ? maxBytes : undefined;
  } catch {
    return undefined;
  }
}
