import type { AuditEntryView } from "./contract.ts";

/** The present names in the entries of a page. They are not recorded, so a deleted subject has none. */
export interface EntryNames {
  /** The names of people by the IDs of their accounts. */
  readonly accounts: ReadonlyMap<string, string>;
  /** The names of other subjects, by `subjectKey`. */
  readonly subjects: ReadonlyMap<string, string>;
}

type Subject = Pick<AuditEntryView, "action" | "subjectId">;

/** Returns the kind of an entry's subject: the first word of its action. */
export const subjectKind = ({ action }: Pick<AuditEntryView, "action">): string => action.split(".")[0] ?? "";

/** Returns the key of a subject in `EntryNames`. Subjects of different kinds may have the same ID. */
export const subjectKey = (entry: Subject): string => `${subjectKind(entry)}:${entry.subjectId}`;
