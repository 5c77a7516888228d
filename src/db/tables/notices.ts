import type { Generated, Selectable } from "kysely";

/** What an account is told: on its page of notices, and by mail. */
export interface NoticeTable {
  id: string;
  user_id: string;
  kind: "downloaded" | "arrived" | "expiring";
  /** What it is about, such as a share's short ID. Until it is read or mailed, further ones about it are counted in the same row. */
  about: string;
  title: string;
  /** Path of the page that shows it. */
  path: string;
  count: number;
  /** When the file or share of a notice `expiring` ends. */
  at: number | null;
  created_at: number;
  updated_at: number;
  read_at: number | null;
  mailed_at: number | null;
}

export type NoticeRow = Selectable<NoticeTable>;

/** What an account wants to be told; without a row, the defaults. */
export interface NoticeSettingsTable {
  user_id: string;
  downloaded: Generated<number>;
  arrived: Generated<number>;
  expiring: Generated<number>;
  by_mail: Generated<number>;
}
