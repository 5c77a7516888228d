/** An unlock code in upper case, without the spaces, dashes and dots that people type or paste (identifiers, "Secrets"). */
export const normalizeUnlockCode = (code: string): string => code.replace(/[\s\p{Pd}\p{Cf}_.]/gu, "").toUpperCase();

/** The length in characters of a password that a sender chooses for a share (sharing, "A password of your own"). */
export const SHARE_PASSWORD = { minLength: 8, maxLength: 128 } as const;

/** The limits of a field for such a password. Browsers count UTF-16 units, of which a character has up to two. */
export const SHARE_PASSWORD_FIELD = { minLength: SHARE_PASSWORD.minLength, maxLength: 2 * SHARE_PASSWORD.maxLength } as const;

/**
 * Returns the length of a password by which it can be too short: in characters, in the form in which it is hashed. A letter with an accent counts once,
 * whichever device sends it.
 */
export const passwordLength = (password: string): number => [...password.normalize("NFKC")].length;
