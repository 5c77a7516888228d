import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { Db } from "./db/database.ts";
import { type Instance, listLeasedInstances } from "./db/instances.ts";

/** This process, as it names itself in the database. */
export function describeInstance(id: string): Instance {
  return { id, host: hostname(), pid: process.pid, processStarted: processStarted(process.pid) ?? null };
}

/**
 * The ids of the processes that live: their lease runs, and those of this host are still the process that took it.
 * So a server that was killed counts as dead at once for whoever starts after it on the same host.
 */
export async function listLiving(db: Db, nowMs: number): Promise<Set<string>> {
  const leased = await listLeasedInstances(db, nowMs);
  return new Set(leased.filter(isPlausible).map((instance) => instance.id));
}

function isPlausible(instance: Instance): boolean {
  if (instance.host !== hostname() || instance.processStarted === null) return true;
  return processStarted(instance.pid) === instance.processStarted;
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
