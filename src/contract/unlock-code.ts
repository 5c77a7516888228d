/** An unlock code in upper case, without the spaces, dashes and dots that people type or paste (identifiers, "Secrets"). */
export const normalizeUnlockCode = (code: string): string => code.replace(/[\s\p{Pd}\p{Cf}_.]/gu, "").toUpperCase();

/** The length in characters of a password that a sender chooses for a share (sharing, "A password of your own"). */
export const SHARE_PASSWORD = { minLength: 8, maxLength: 128 } as const;
