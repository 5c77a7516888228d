import type { Selectable } from "kysely";

/** Settings that administrators changed (configuration, "Settings in the database"). */
export interface RunTimeSettingTable {
  name: string;
  /** Number of the last change. A later change of any setting has a larger one. */
  revision: number;
  changed_at: number;
  /** The value as text, in the form of the environment; null: back at the default. */
  value: string | null;
}

export type RunTimeSettingRow = Selectable<RunTimeSettingTable>;
