/** Whether the sender of an encrypted file has hidden its name. Any file can be called so. */
export const hidesName = ({ name, encrypted }: { readonly name: string; readonly encrypted: boolean }): boolean =>
  encrypted && isHiddenName(name);

/** Returns whether a name is one that `toHiddenName` returns. Pages that only ask this load no cryptography. */
export const isHiddenName = (name: string): boolean => /^encrypted-[0-9a-f]{16}\.tar\.age$/.test(name);
