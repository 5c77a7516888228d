/** Signs texts with a secret, and verifies in constant time. */
export interface Signer {
  sign(text: string): string;
  verify(text: string, signature: string): boolean;
}

/** The two parts of a token; both are safe in a URL. */
export interface SignedToken {
  /** The expiry as a whole number in base 36. */
  readonly expiry: string;
  readonly signature: string;
}

type Fields = readonly (string | number)[];

const EXPIRY = /^[0-9a-z]{1,10}$/;

/**
 * Signs a token for one purpose and exactly these fields, so that nothing has to be stored. `expiresAt` is a whole number of seconds or milliseconds,
 * depending on the purpose.
 */
export function signToken(signer: Signer, purpose: string, fields: Fields, expiresAt: number): SignedToken {
  const expiry = expiresAt.toString(36);
  return { expiry, signature: signer.sign(toText(purpose, fields, expiry)) };
}

/**
 * Verifies a token. Returns its expiry in the unit in which it was signed, even if it has passed; undefined unless the token was signed for this
 * purpose and these fields.
 */
export function verifyToken(signer: Signer, purpose: string, fields: Fields, { expiry, signature }: SignedToken): number | undefined {
  if (!EXPIRY.test(expiry) || !signer.verify(toText(purpose, fields, expiry), signature)) return undefined;
  return Number.parseInt(expiry, 36);
}

/** Returns the query of a URL that a token signs. */
export const toSignedQuery = ({ expiry, signature }: SignedToken): string => `?e=${expiry}&s=${signature}`;

/** Returns whether a text, such as JSON or HTML, contains a URL that a token signs. */
export const hasSignedUrl = (text: string): boolean => /[?&;]e=[0-9a-z]{1,10}&(amp;)?s=/.test(text);

/** Joins the fields as JSON, which keeps them distinct. */
const toText = (purpose: string, fields: Fields, expiry: string): string => JSON.stringify([purpose, ...fields, expiry]);
