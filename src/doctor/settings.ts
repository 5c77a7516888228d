import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { LoadedConfig } from "../config/load.ts";
import { findSecretProblem } from "../config/server-secret.ts";
import { warnWeakSecret } from "../config/warnings.ts";
import type { CheckName } from "../contract/check-names.ts";
import { systemCode } from "../errors.ts";
import { type Check, fail, ok, warn } from "./check-result.ts";
import { explainError } from "./error-messages.ts";

/** The folder in which Docker and Kubernetes mount secrets, readable by all users of the container. */
const CONTAINER_SECRETS = "/run/secrets/";

/** Checks for unknown setting names and for secret files that other users can read. Invalid values are rejected earlier, by `loadConfig`. */
export const settings: Check = {
  what: "settings",
  timeoutMs: 5_000,
  async *run({ settings: inForce, warnings, config }: LoadedConfig) {
    const given = inForce.filter(({ source }) => source !== "default").map(({ name }) => name);
    const weak = new Set(warnWeakSecret({ SECRET: config.secret }));
    for (const warning of warnings)
      yield weak.has(warning)
        ? warn("secret", "weakSecret", warning, "Set a longer secret. Links that were signed with this one then stop working.")
        : warn("settings", "settings", warning, "Correct the name, or remove the setting.");
    if (given.length > 0) yield ok("settings", `${given.length} set: ${given.join(", ")}`);
    else yield ok("settings", "none set, so all are defaults; to check a server's settings, run this with the same environment");
    for (const { name, path } of inForce) if (path !== undefined) yield* checkSecretFile(`${name}_FILE`, path);
    if (config.secret !== undefined) return;
    yield* checkOwnSecret(join(config.dataDir, "secret"));
    if (config.storage.kind === "s3" && !config.database.url.startsWith("file:"))
      yield warn(
        "secret",
        "sharedSecret",
        "exists only on this machine, but database and files are shared: other servers would reject its signed URLs",
        "With several servers, give all of them the same FILEHOST_SECRET_FILE. With one, keep that file with your backups.",
      );
  },
};

async function* checkOwnSecret(path: string) {
  try {
    const problem = await findSecretProblem(path);
    if (problem !== undefined) {
      yield fail("secret", "secretDamaged", `${path} ${problem}`, "Restore it from a backup; without it, existing links stop working.");
      return;
    }
  } catch (error) {
    if (systemCode(error) !== "ENOENT") {
      yield fail("secret", "secretUnreadable", `${path} cannot be read: ${explainError(error)}`, "Run this as the server's user.");
      return;
    }
  }
  yield* checkSecretFile("secret", path);
}

async function* checkSecretFile(what: CheckName, path: string) {
  try {
    const { mode } = await stat(path);
    const isOpen = (mode & 0o077) !== 0 && !path.startsWith(CONTAINER_SECRETS);
    if (isOpen)
      yield warn(
        what,
        "secretReadable",
        `${path} is readable by other users of this machine (mode ${(mode & 0o777).toString(8)})`,
        `chmod 600 ${path}`,
      );
    else yield ok(what, `${path} is readable only by its owner`);
  } catch (error) {
    if (systemCode(error) === "ENOENT") yield ok(what, `${path} is created on first start; keep it with your backups`);
    else yield fail(what, "secretUnreadable", `${path} cannot be read: ${explainError(error)}`, "Run this as the server's user.");
  }
}
