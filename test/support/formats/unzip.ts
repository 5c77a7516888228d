import { spawnSync } from "node:child_process";

/** The reason why tests that read archives are skipped; undefined if unzip is installed. */
export const unzipMissing = spawnSync("unzip", ["-v"]).error ? "unzip is not installed (Debian: unzip)" : undefined;
