import type { Generated, Selectable } from "kysely";

/** A notice to an account, on its page of notices and by mail. */
export interface NoticeTable {
  id: string;
  user_id: string;
  kind: "downloaded" | "arrived" | "expiring";
  /** The subject, such as a share's short ID. Until the notice is read or mailed, further ones about the subject are counted in the same row. */
  about: string;
  title: string;
  /** The path of the page about the subject. */
  path: string;
  count: number;
  /** The expiry of the file or share, for a notice `expiring`. */
  at: number | null;
  created_at: number;
  updated_at: number;
  read_at: number | null;
  mailed_at: number | null;
}

export type NoticeRow = Selectable<NoticeTable>;

/** The notices that an account wants; without a row, the defaults apply. */
export interface NoticeSettingsTable {
  user_id: string;
  downloaded: Generated<number>;
  arrived: Generated<number>;
  expiring: Generated<number>;
  by_mail: Generated<number>;
}

export type NoticeSettingsRow = Selectable<NoticeSettingsTable>;
