import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describeReplacedSecret } from "../config/server-secret.ts";
import { systemCode } from "../errors.ts";
import { createKeyring } from "../lib/secrets/secrets.ts";
import { type Check, fail } from "./check-result.ts";
import { inspect } from "./database.ts";

/** Checks that the database is used with this secret (configuration, "The server's secret"). */
export const serverSecret: Check = {
  what: "secret",
  timeoutMs: 30_000,
  async *run(loaded) {
    const { secret, dataDir } = loaded.config;
    // The checks of the database and of the settings report what cannot be read.
    const checks = (await inspect(loaded).catch(() => undefined))?.secretChecks ?? [];
    if (checks.length === 0) return;
    const text = secret ?? (await readSecret(join(dataDir, "secret")));
    if (text === undefined) return;
    const { problem, fix } = describeReplacedSecret(dataDir, secret !== undefined);
    if (text === "missing") yield fail("secret", "secretReplaced", "is missing, and this database was used with it", fix);
    else if (!checks.includes(createKeyring(text).check)) yield fail("secret", "secretReplaced", problem, fix);
  },
};

/** Reads the secret's file; undefined if that fails. */
const readSecret = async (path: string): Promise<string | undefined> =>
  await readFile(path, "utf8").then(
    (text) => text.trim(),
    (error: unknown) => (systemCode(error) === "ENOENT" ? "missing" : undefined),
  );
