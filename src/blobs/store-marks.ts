/**
 * The small texts that a store has beside its blobs: `identity` names its database, and `contender` records that another database was seen to use it.
 */
export type MarkName = "identity" | "contender";

/** Reads and writes marks. All reject with UNAVAILABLE if the store cannot be reached. */
export interface StoreMarks {
  /** Reads a mark; undefined if there is none. */
  read(name: MarkName): Promise<string | undefined>;
  /** Replaces the whole text durably. A reader sees the former or the new text. */
  write(name: MarkName, text: string): Promise<void>;
  /** Removes a mark, if there is one. */
  remove(name: MarkName): Promise<void>;
}

/** Returns the name of a mark in the area of visible blobs, so that it moves with them. No blob has this name, and no list shows it. */
export const markFileName = (name: MarkName): string => `.store-${name}`;
