/** Returns the name that the encrypted file would have if its sender had not hidden its name. */
export const toEncryptedName = (name: string): string => `${name.replace(/^.*\//, "")}.age`;
