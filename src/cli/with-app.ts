import type { AppOptions } from "../app.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Ctx } from "../context.ts";
import { createLogger } from "../log.ts";
import { toPublicUrls } from "../public-urls.ts";

/**
 * Runs `work` with the configured database and store, which running servers may use at the same time, and closes them afterwards.
 * Throws NOT_FOUND if there is no database, unless `database` is `create`, and InstallationError for another secret, unless `secret` is `any`.
 */
export async function withApp<T>(
  loaded: LoadedConfig,
  work: (ctx: Ctx) => Promise<T>,
  { database = "existing", secret }: Pick<AppOptions, "database" | "secret"> = {},
): Promise<T> {
  const { config, settings } = loaded;
  const { createApp } = await import("../app.ts");
  const isChosen = settings.some(({ name, source }) => name === "FILEHOST_LOG" && source !== "default");
  const log = createLogger(isChosen ? config.log : { ...config.log, level: "warn" });
  await using app = await createApp({ loaded, urls: toPublicUrls(config, config.listen.port), log, database, secret, keepsLog: true });
  return await work(app.ctx);
}
