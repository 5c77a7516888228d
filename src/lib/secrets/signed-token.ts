/** Signs texts with a secret, and verifies in constant time. */
export interface Signer {
  sign(text: string): string;
  verify(text: string, signature: string): boolean;
}

/** The two parts of a token; both are safe in a URL. */
export interface SignedToken {
  /** A whole number, base 36. */
  readonly expiry: string;
  readonly signature: string;
}

type Fields = readonly (string | number)[];

const EXPIRY = /^[0-9a-z]{1,10}$/;

/**
 * Signs a token for one purpose and exactly these fields, so that nothing must be stored. `expiresAt` is a whole number of seconds or
 * milliseconds; the purpose decides.
 */
export function signToken(signer: Signer, purpose: string, fields: Fields, expiresAt: number): SignedToken {
  const expiry = expiresAt.toString(36);
  return { expiry, signature: signer.sign(toText(purpose, fields, expiry)) };
}

/**
 * Verifies a token and returns its expiry in the unit in which it was signed, even if that has passed. Undefined unless it was signed for
 * this purpose and these fields.
 */
export function verifyToken(signer: Signer, purpose: string, fields: Fields, { expiry, signature }: SignedToken): number | undefined {
  if (!EXPIRY.test(expiry) || !signer.verify(toText(purpose, fields, expiry), signature)) return undefined;
  return Number.parseInt(expiry, 36);
}

/** JSON keeps the fields distinct. */
const toText = (purpose: string, fields: Fields, expiry: string): string => JSON.stringify([purpose, ...fields, expiry]);
