/** A name as people compare names, and many file systems do: in any case, and in whichever way its accents are written. */
export const foldName = (name: string): string => name.normalize("NFC").toLowerCase();
