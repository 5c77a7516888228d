import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "../until.ts";

/** The folder in which groups are created. cgroup v1 mounts its memory controller separately; v2 must enable it for the root's children. */
const V1_ROOT = "/sys/fs/cgroup/memory";
const V2_ROOT = "/sys/fs/cgroup";

/** A group of processes with a common limit of memory. The kernel ends a process that needs more. */
export interface MemoryGroup extends AsyncDisposable {
  /** The prefix of a command that runs it in the group. */
  readonly wrapper: readonly string[];
  /** Returns the number of processes that the kernel has ended for lack of memory. */
  countKills(): Promise<number>;
  /** Returns the highest memory usage, including pages of files that the kernel cached. */
  peakBytes(): Promise<number>;
  /** Returns the memory of the processes, without cached pages that the kernel can drop. */
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
      // The kernel briefly counts a process that has just ended.
      await until("the group of processes is empty", () =>
        rmdir(folder).then(
          () => true,
          () => undefined,
        ),
      );
    },
  };
}

/** Returns the reason why tests in a memory group are skipped; undefined if a group can be created. */
export async function whyNoMemoryGroup(): Promise<string | undefined> {
  try {
    await (await createMemoryGroup(64 * 1024 ** 2))[Symbol.asyncDispose]();
    return undefined;
  } catch (error) {
    return `no memory cgroup can be made: ${error instanceof Error ? error.message : error}`;
  }
}
