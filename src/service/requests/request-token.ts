import { newRequestCode, type Random } from "../../lib/secrets/ids.ts";
import { hashToken } from "../../lib/secrets/secrets.ts";

const PREFIX = "rq_";
/** The part of a link after `/r/` that has no prefix: 12 characters of base58. */
const SHORT = /^[1-9A-HJ-NP-Za-km-z]{12}$/;

/** Returns a new `requestToken` (requests, "The link"). */
export const newRequestToken = (random: Random): string => PREFIX + newRequestCode(random);

/** Returns the hash by which a request is found, of a `requestToken` or of the last part of a link. */
export const hashRequestToken = (token: string): string => hashToken(SHORT.test(token) ? PREFIX + token : token);

/** Returns the last part of the link of a token. Tokens of 256 random bits, which earlier versions made, keep their links. */
export function toLinkPart(token: string): string {
  const part = token.slice(PREFIX.length);
  return SHORT.test(part) ? part : token;
}
