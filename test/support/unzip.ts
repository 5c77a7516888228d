import { spawnSync } from "node:child_process";

/** Why tests that look into archives are skipped; false where they need not be. */
export const unzipMissing = spawnSync("unzip", ["-v"]).error ? "unzip is not installed (Debian: unzip)" : false;
