import type { LocalFile } from "./local-file.ts";

/** What is sent of a file beside its bytes. */
export interface SentAttributes {
  /** When it was changed: ISO time. */
  readonly modifiedAt?: string;
  readonly executable?: true;
}

/** The attributes of an open file; without a time that the API has no form for. */
export function attributesOf({ modifiedMs, isExecutable }: Pick<LocalFile, "modifiedMs" | "isExecutable">): SentAttributes {
  const year = new Date(modifiedMs).getUTCFullYear();
  return {
    ...(year >= 0 && year <= 9999 && { modifiedAt: new Date(modifiedMs).toISOString() }),
    ...(isExecutable && { executable: true }),
  };
}
