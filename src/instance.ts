import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import type { Db } from "./db/database.ts";
import { type Instance, listInstances } from "./db/instances.ts";

/** This process, as it names itself in the database. */
export function describeInstance(id: string): Instance {
  return { id, host: processSpace(), pid: process.pid, processStarted: processStarted(process.pid) ?? null };
}

/**
 * The ids of the processes that live. Of those that this one can see the kernel tells, whatever their lease says: a server that was
 * killed is dead at once for whoever starts after it, and one that was suspended is not. Of all others, the lease.
 */
export async function listLiving(db: Db, nowMs: number): Promise<Set<string>> {
  const here = processSpace();
  const living = (await listInstances(db)).filter((instance) => {
    if (instance.host !== here || instance.processStarted === null) return instance.leaseUntilMs > nowMs;
    return processStarted(instance.pid) === instance.processStarted;
  });
  return new Set(living.map((instance) => instance.id));
}

/** Where a pid means the same process: the host, and of containers that share a host's name, the one. */
function processSpace(): string {
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** The kernel's start time of a process, in ticks since boot; undefined where there is no such process. */
function processStarted(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
