import { toAddresses } from "../addresses.ts";
import type { AppOptions } from "../app.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Ctx } from "../context.ts";
import { createLogger } from "../log.ts";

/**
 * Opens the database and the store of the configuration for one command, beside whatever server uses them, and closes them after it.
 * Throws NOT_FOUND where there is no database, unless the command may `create` it.
 */
export async function withApp<T>(
  { config, settings }: LoadedConfig,
  work: (ctx: Ctx) => Promise<T>,
  { database = "existing" }: Pick<AppOptions, "database"> = {},
): Promise<T> {
  const { createApp } = await import("../app.ts");
  const isChosen = settings.some(({ name, source }) => name === "FILEHOST_LOG" && source !== "default");
  const log = createLogger(isChosen ? config.log : { ...config.log, level: "warn" });
  await using app = await createApp({ config, addresses: toAddresses(config, config.listen.port), log, database });
  return await work(app.ctx);
}
