/**
 * The database's record of its store. `next` is a generation that is being written: it is recorded before the store has it, so that an interruption
 * leaves the store with one of the two.
 */
export interface PairRecord {
  readonly id: string;
  /** The generation; null until the store was first seen to have `next`. */
  readonly generation: string | null;
  readonly next: string | null;
  /** The server instance that writes `next`. */
  readonly holder: string | null;
  readonly renewedAtMs: number;
}

/** The store's mark of its database. */
export interface StoreMark {
  readonly id: string;
  readonly generation: string;
}

/**
 * Why a store and a database do not belong together:
 * - `foreign`: the store is marked by another database, or this one has lost its record.
 * - `diverged`: the same ID, but another generation: one of the two is a former copy, or a clone uses the same store.
 * - `unmarked`: the database has a store, and this is another one or has lost its mark.
 * - `unmatched`: neither is marked, and the rows do not match the blobs.
 * - `contended`: another database was seen to use this store.
 */
export type PairProblem = "foreign" | "diverged" | "unmarked" | "unmatched" | "contended";

export type PairState =
  | { readonly kind: "paired"; readonly record: PairRecord }
  /** The state before either is marked, or before the first mark was written. */
  | { readonly kind: "unpaired" }
  | { readonly kind: "problem"; readonly problem: PairProblem };

const problem = (name: PairProblem): PairState => ({ kind: "problem", problem: name });

/** Compares the record with the mark (storage, "A store and its database"). */
export function judgePair(record: PairRecord | undefined, mark: StoreMark | undefined, isContended: boolean): PairState {
  if (mark === undefined) {
    if (record?.generation != null) return problem("unmarked");
    return isContended ? problem("contended") : { kind: "unpaired" };
  }
  if (record?.id !== mark.id) return problem("foreign");
  if (mark.generation !== record.generation && mark.generation !== record.next) return problem("diverged");
  return isContended ? problem("contended") : { kind: "paired", record };
}

export const parseRecord = (text: string | undefined): PairRecord | undefined => (text === undefined ? undefined : JSON.parse(text));

/** Parses a mark. An unreadable mark counts as another database's. */
export function parseMark(text: string | undefined): StoreMark | undefined {
  if (text === undefined) return undefined;
  try {
    const { id, generation } = JSON.parse(text);
    return { id: String(id), generation: String(generation) };
  } catch {
    return { id: "", generation: "" };
  }
}

/** Descriptions of the problems, as sentences. */
export const PAIR_PROBLEMS: Readonly<Record<PairProblem, string>> = {
  foreign: "The file store belongs to another database.",
  diverged: "The file store and the database are not of the same time: one is an older copy, or a copy of this server uses the same store.",
  unmarked: "The database belongs to another file store, or the store has lost its mark.",
  unmatched: "The database does not know the files in the store, or the store does not have the database's files.",
  contended: "Another database has used this file store.",
};

export const PAIR_FIX =
  "Nothing is removed from the store. Check FILEHOST_DATA, FILEHOST_DB_URL and the FILEHOST_S3_ settings, and stop other servers that use this store.\n" +
  "If this database and this store belong together: filehost storage adopt";
