import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type Check, fail, ok, type Subject, warn } from "./finding.ts";
import { reasonOf, systemCode } from "./reasons.ts";

/** Docker and Kubernetes put secrets there readable by all, in a file system that the container alone has. */
const CONTAINER_SECRETS = "/run/secrets/";

/** Unknown names, and who may read the files of secrets. Values that cannot be read never come this far. */
export const settings: Check = {
  what: "settings",
  limitMs: 5_000,
  async *look({ settings: inForce, warnings, config }: Subject) {
    const given = inForce.filter(({ source }) => source !== "default").map(({ name }) => name);
    for (const warning of warnings) yield warn("settings", warning, "Correct the name, or remove it.");
    if (given.length > 0) yield ok("settings", `${given.length} given: ${given.join(", ")}`);
    else
      yield ok(
        "settings",
        "none given, so these are all the defaults; a server's own are seen where this is run with the same environment",
      );
    for (const { name, path } of inForce) if (path !== undefined) yield* lookAtSecret(`${name}_FILE`, path);
    if (config.secret !== undefined) return;
    yield* lookAtSecret("secret", join(config.dataDir, "secret"));
    if (config.storage.kind === "s3" && !config.database.url.startsWith("file:"))
      yield warn(
        "secret",
        "is this machine's own, but database and files are shared: another server would not believe the links of this one",
        "Where several servers run, give all of them the same FILEHOST_SECRET_FILE. Where there is one, keep that file with your backups.",
      );
  },
};

async function* lookAtSecret(what: string, path: string) {
  try {
    const { mode } = await stat(path);
    const isOpen = (mode & 0o077) !== 0 && !path.startsWith(CONTAINER_SECRETS);
    if (isOpen)
      yield warn(what, `${path} can be read by other users of this machine (mode ${(mode & 0o777).toString(8)})`, `chmod 600 ${path}`);
    else yield ok(what, `${path} is its owner's alone`);
  } catch (error) {
    if (systemCode(error) === "ENOENT") yield ok(what, `${path} is made at the first start; keep it with your backups`);
    else yield fail(what, `${path} cannot be read: ${reasonOf(error)}`, "Run this as the user that the server runs as.");
  }
}
