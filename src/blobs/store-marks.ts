/**
 * The small texts that a store has beside its blobs: `identity` says to which database it belongs, `contender` that another database was seen
 * to use it.
 */
export type MarkName = "identity" | "contender";

/** Reads and writes marks. All reject with UNAVAILABLE if the store cannot be reached. */
export interface StoreMarks {
  /** Undefined if there is none. */
  read(name: MarkName): Promise<string | undefined>;
  /** Replaces the whole text, durably: a reader sees the former or the new one. */
  write(name: MarkName, text: string): Promise<void>;
  /** Does nothing if there is none. */
  remove(name: MarkName): Promise<void>;
}

/** The name of a mark in the area of visible blobs, so that it moves with them. No blob has such a name, and no list shows it. */
export const markFileName = (name: MarkName): string => `.store-${name}`;
