import { readFile } from "node:fs/promises";
import type { Processes } from "./processes.ts";

export interface Cores {
  /** The core of the servers; undefined with a single core, so that nothing is pinned. */
  readonly server: number | undefined;
  readonly load: number | undefined;
}

/** Pins the servers to one core, and this process and its children to another. */
export async function shareOutCores(processes: Processes): Promise<Cores> {
  const status = await readFile("/proc/self/status", "utf8");
  const [server, load] = expandList(/^Cpus_allowed_list:\s+(\S+)$/m.exec(status)?.[1] ?? "0");
  if (server === undefined || load === undefined) return { server: undefined, load: undefined };
  await processes.run("taskset", ["-a", "-c", "-p", String(load), String(process.pid)]);
  return { server, load };
}

/** Expands `0-2,5` to 0, 1, 2, 5. */
function expandList(list: string): number[] {
  return list.split(",").flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
