import type { Selectable } from "kysely";

/** Settings that administrators changed (configuration, "Settings in the database"). */
export interface RunTimeSettingTable {
  name: string;
  /** Number of the last change. A later change of any setting has a higher number. */
  revision: number;
  changed_at: number;
  /** The value as text, in the form of the environment; null if the setting is back at its default. */
  value: string | null;
}

export type RunTimeSettingRow = Selectable<RunTimeSettingTable>;
