import { stat } from "node:fs/promises";
import type { LoadedConfig } from "../config/load.ts";
import { describeMemory, memoryLimit } from "../lib/system/memory-plan.ts";
import { readOpenFileLimits, toThreshold } from "../lib/system/open-files.ts";
import { type Check, ok, warn } from "./check-result.ts";

/** Recommended limit of open files: each connection uses one, and each download from disk uses two. */
const RECOMMENDED_OPEN_FILES = 4096;

/** Checks the memory, the limit of open files and, where systemd reports it, the synchronization of the clock. */
export const machine: Check = {
  what: "machine",
  timeoutMs: 5_000,
  async *run({ config }: LoadedConfig) {
    const { detail, fix } = describeMemory(memoryLimit);
    yield fix === undefined ? ok("memory", detail) : warn("memory", "memory", detail, fix);
    const limits = readOpenFileLimits();
    const files = limits && Math.max(limits.soft, limits.hard);
    if (files === undefined)
      yield warn(
        "open files",
        "openFilesUnknown",
        "unknown because /proc is missing, so idle connections are closed only by timeout",
        "Limit connections in the reverse proxy.",
      );
    else if (files < RECOMMENDED_OPEN_FILES)
      yield warn(
        "open files",
        "openFiles",
        `at most ${files} for this command: enough for about ${Math.floor(files / 3)} clients at the same time`,
        "In the systemd unit, set LimitNOFILE=65536; in a shell, ulimit -n 65536; in docker run, --ulimit nofile=65536",
      );
    else
      yield ok(
        "open files",
        `at most ${files} for this command; above ${toThreshold(config.connections, files)}, idle connections are closed`,
      );
    // systemd-timesyncd touches this file at each synchronization.
    const synchronized = await stat("/run/systemd/timesync/synchronized").catch(() => undefined);
    if (synchronized) yield ok("clock", `${new Date().toISOString()}, synchronized`);
    else yield ok("clock", `${new Date().toISOString()}; run timedatectl to check its synchronization`);
  },
};
