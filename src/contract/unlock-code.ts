/** An unlock code in upper case, without the spaces, dashes and dots that people type or paste (identifiers, "Secrets"). */
export const normalizeUnlockCode = (code: string): string => code.replace(/[\s\p{Pd}\p{Cf}_.]/gu, "").toUpperCase();
