import type { LocalFile } from "./local-file.ts";

/** Attributes of a file that are sent beside its bytes. */
export interface SentAttributes {
  /** The modification time, as ISO time. */
  readonly modifiedAt?: string;
  readonly executable?: true;
}

/** Returns the attributes of an open file, without a time that the API cannot represent. */
export function attributesOf({ modifiedMs, isExecutable }: Pick<LocalFile, "modifiedMs" | "isExecutable">): SentAttributes {
  const year = new Date(modifiedMs).getUTCFullYear();
  return {
    ...(year >= 0 && year <= 9999 && { modifiedAt: new Date(modifiedMs).toISOString() }),
    ...(isExecutable && { executable: true }),
  };
}
