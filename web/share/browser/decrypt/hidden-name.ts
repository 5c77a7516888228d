/** Characters with which a name could change how the surrounding text reads. */
const UNSHOWN = /[\p{Cc}\p{Cf}]/gu;

/** Returns a name that a sender has hidden, for a text of the page. */
export const toShownName = (name: string): string => name.replace(UNSHOWN, "");

/** Returns the name that the encrypted file would have if its sender had not hidden its name. */
export const toEncryptedName = (name: string): string => `${name.replace(/^.*\//, "")}.age`;
