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
}

type Notice = Pick<NoticeRow, "id" | "kind" | "about" | "title" | "count" | "updated_at">;

/** Reads the details of notices, by their IDs. */
export async function readNoticeDetails(db: Db, notices: readonly Notice[]): Promise<ReadonlyMap<string, NoticeDetails>> {
  const others = await countOthers(
    db,
    notices.filter(({ kind }) => kind !== "arrived"),
  );
  const details = new Map<string, NoticeDetails>();
  for (const notice of notices) {
    const senders = notice.kind === "arrived" ? await listSenders(db, notice) : [];
    details.set(notice.id, { senders, others: others.get(notice.id) ?? 0 });
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

async function countOthers(db: Db, notices: readonly Notice[]): Promise<ReadonlyMap<string, number>> {
  const names = await findShareNames(db, [...new Set(notices.map(({ about }) => about))]);
  return new Map(
    notices.flatMap(({ id, about, title }) => {
      const share = names.get(about);
      return share !== undefined && share.name === title ? [[id, share.files - 1] as const] : [];
    }),
  );
}
