import type { Db } from "../../db/database.ts";
import type { NoticeRow } from "../../db/tables/notices.ts";
import { findShareNames } from "../share-names.ts";
import { NOTICE_SENDERS } from "./contract.ts";

/** What the present rows say of a notice in addition to its own row. */
export interface NoticeDetails {
  /**
   * The names of those who sent the last files, within `NOTICE_SENDERS`, the last one first; null for senders without a name. Empty after the request
   * was deleted.
   */
  readonly senders: readonly (string | null)[];
  /** The number of other files of the share, if the title is the name of its first file. */
  readonly others: number;
  /** Whether a file of the share is encrypted; null if the share has no files any more, and for requests. */
  readonly encrypted: boolean | null;
}

type Notice = Pick<NoticeRow, "id" | "kind" | "about" | "title" | "count" | "updated_at">;

/** Reads the details of notices, by their IDs. */
export async function readNoticeDetails(db: Db, notices: readonly Notice[]): Promise<ReadonlyMap<string, NoticeDetails>> {
  const shares = await findShareNames(db, [...new Set(notices.filter(({ kind }) => kind !== "arrived").map(({ about }) => about))]);
  const details = new Map<string, NoticeDetails>();
  for (const notice of notices) {
    const senders = notice.kind === "arrived" ? await listSenders(db, notice) : [];
    const share = shares.get(notice.about);
    const others = share !== undefined && share.name === notice.title ? share.files - 1 : 0;
    details.set(notice.id, { senders, others, encrypted: share?.isEncrypted ?? null });
  }
  return details;
}

/** Lists who sent the last files that a notice counts: those that had arrived when it was changed. */
export async function listSenders(
  db: Db,
  { about, count, updated_at }: Pick<Notice, "about" | "count" | "updated_at">,
): Promise<(string | null)[]> {
  const files = await db
    .selectFrom("files")
    .innerJoin("request_submissions", "request_submissions.id", "files.submission_id")
    .select("sender_name")
    .where("files.request_id", "=", about)
    .where("arrived_at", "<=", updated_at)
    .orderBy("arrived_at", "desc")
    .limit(Math.min(count, NOTICE_SENDERS.files))
    .execute();
  return [...new Set(files.map(({ sender_name }) => sender_name))].slice(0, NOTICE_SENDERS.names);
}
