import type { NoticeSettingsRow } from "../../db/tables/notices.ts";

/** The notices that an account wants (notices, "Kinds"). */
export interface NoticeSettings {
  readonly downloaded: boolean;
  readonly arrived: boolean;
  readonly expiring: boolean;
  readonly byMail: boolean;
}

const DEFAULTS: NoticeSettings = { downloaded: false, arrived: true, expiring: true, byMail: true };

type StoredChoices = { readonly [Column in Exclude<keyof NoticeSettingsRow, "user_id">]: NoticeSettingsRow[Column] | null };

/** Returns the settings of a row; the defaults without one, of which a joined table has null. */
export function toNoticeSettings(row: StoredChoices | undefined): NoticeSettings {
  if (row === undefined || row.downloaded === null) return DEFAULTS;
  return { downloaded: row.downloaded === 1, arrived: row.arrived === 1, expiring: row.expiring === 1, byMail: row.by_mail === 1 };
}
