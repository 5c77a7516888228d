import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "./until.ts";

/** Where groups can be made: cgroup v1 mounts its memory controller apart; with v2 it must be enabled for the root's children. */
const V1_ROOT = "/sys/fs/cgroup/memory";
const V2_ROOT = "/sys/fs/cgroup";

/** A group of processes that may use so much memory together; the kernel ends one that needs more. */
export interface MemoryGroup extends AsyncDisposable {
  /** Prefixed to a command, it runs that in the group. */
  readonly wrapper: readonly string[];
  /** How often the kernel has ended a process for want of memory. */
  countKills(): Promise<number>;
  /** The most memory that was in use, with the pages of files that the kernel kept. */
  peakBytes(): Promise<number>;
  /** The memory of the processes' own, which the kernel cannot drop. */
  ownBytes(): Promise<number>;
}

let made = 0;

/** Makes a group with `limitBytes`. The processes in it must have ended when it is disposed of. */
export async function createMemoryGroup(limitBytes: number): Promise<MemoryGroup> {
  const isV1 = existsSync(join(V1_ROOT, "memory.limit_in_bytes"));
  made += 1;
  const folder = join(isV1 ? V1_ROOT : V2_ROOT, `filehost-test-${process.pid}-${made}`);
  await mkdir(folder);
  try {
    await writeFile(join(folder, isV1 ? "memory.limit_in_bytes" : "memory.max"), String(limitBytes));
  } catch (error) {
    await rmdir(folder);
    throw error;
  }
  const readNumber = (file: string, name: string): number => {
    const text = readFileSync(join(folder, file), "utf8");
    return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? Number.NaN);
  };
  return {
    wrapper: ["/bin/sh", "-c", `echo $$ > ${folder}/cgroup.procs && exec "$@"`, "sh"],
    countKills: async () => readNumber(isV1 ? "memory.oom_control" : "memory.events", "oom_kill"),
    peakBytes: async () => Number(await readFile(join(folder, isV1 ? "memory.max_usage_in_bytes" : "memory.peak"), "utf8")),
    ownBytes: async () => readNumber("memory.stat", isV1 ? "total_rss" : "anon"),
    async [Symbol.asyncDispose]() {
      // The kernel counts a process that has just ended for a moment.
      await until("the group of processes is empty", () =>
        rmdir(folder).then(
          () => true,
          () => undefined,
        ),
      );
    },
  };
}

/** Why tests in such a group are skipped; undefined if one can be made. */
export async function whyNoMemoryGroup(): Promise<string | undefined> {
  try {
    await (await createMemoryGroup(64 * 1024 ** 2))[Symbol.asyncDispose]();
    return undefined;
  } catch (error) {
    return `no memory cgroup can be made: ${error instanceof Error ? error.message : error}`;
  }
}
