import type { LoadedConfig } from "../../config/load.ts";
import { isRunTimeName, parseRunTimeValue, type RunTimeName } from "../../config/run-time.ts";
import type { Ctx, RunTimeSettings } from "../../context.ts";
import type { Db } from "../../db/database.ts";
import type { RunTimeSettingRow } from "../../db/tables/servers.ts";
import { createMutex } from "../../lib/concurrency/mutex.ts";
import { listStored, readRevision } from "./stored-settings.ts";

/** Opens the settings that are stored in the database. */
export async function openRunTimeSettings({
  loaded,
  db,
  log,
}: {
  readonly loaded: LoadedConfig;
  readonly db: Db;
  readonly log: Pick<Ctx["log"], "info" | "warn">;
}): Promise<RunTimeSettings> {
  const mutex = createMutex();
  let revision = 0;
  let config = loaded.config;
  const refresh = (): Promise<void> =>
    mutex.run(async () => {
      if ((await readRevision(db)) === revision) return;
      const rows = await listStored(db);
      revision = Math.max(0, ...rows.map((row) => row.revision));
      config = loaded.withStored(toStored(rows, log));
      log.info({ revision }, "settings of the database read");
    });
  await refresh();
  return {
    loaded,
    get config() {
      return config;
    },
    refresh,
  };
}

/** Returns the texts of the settings that this version knows and can parse. */
export function toStored(rows: readonly RunTimeSettingRow[], log: Pick<Ctx["log"], "warn">): ReadonlyMap<RunTimeName, string> {
  const stored = new Map<RunTimeName, string>();
  for (const { name, value } of rows) {
    if (value === null || !isRunTimeName(name)) continue;
    const parsed = parseRunTimeValue(name, value);
    if ("problem" in parsed) log.warn({ name }, `the setting ${name} of the database is ignored: ${parsed.problem}`);
    else stored.set(name, value);
  }
  return stored;
}
