import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "../db/database.ts";
import type { JobCtx } from "./context.ts";
import { reclaimJobs } from "./queue.ts";

/** Time for which an instance counts as live after its last heartbeat. */
export const LEASE_MS = 30_000;

/** A server instance: one running process of the server. */
export interface Instance {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** The kernel's start time, which distinguishes a reused pid; null if the system does not report it. */
  readonly processStarted: string | null;
}

/** Describes this process for its registration in the database. */
export function describeThisInstance(id: string): Instance {
  return { id, host: pidScope(), pid: process.pid, processStarted: readProcessStart(process.pid) ?? null };
}

/** The members of the context that measure the leases of instances. */
type LeaseCtx = Pick<JobCtx, "db" | "now" | "databaseTime">;

/** Returns the time by the database server's clock, which is the same for all instances, or by this process's clock without one. */
const leaseTime = ({ now, databaseTime }: LeaseCtx): RawBuilder<number> => databaseTime ?? sql<number>`${now()}`;

/** Registers an instance, or renews its lease, for `LEASE_MS` from now. */
export async function renewInstance(ctx: LeaseCtx, instance: Instance): Promise<void> {
  const lease_until = sql<number>`${leaseTime(ctx)} + ${LEASE_MS}`;
  await ctx.db
    .insertInto("server_instances")
    .values({ id: instance.id, host: instance.host, pid: instance.pid, process_started: instance.processStarted, lease_until })
    .onConflict((conflict) => conflict.column("id").doUpdateSet((excluded) => ({ lease_until: excluded.ref("excluded.lease_until") })))
    .execute();
}

/** Registers this process as an instance and renews its lease, until the returned function ends the registration. */
export async function registerInstance(ctx: JobCtx): Promise<() => Promise<void>> {
  const instance = describeThisInstance(ctx.instanceId);
  await renewInstance(ctx, instance);
  const heartbeat = setInterval(() => {
    renewInstance(ctx, instance).catch((error: unknown) => ctx.log.error({ err: error }, "renewing the instance's lease failed"));
  }, LEASE_MS / 3);
  return async () => {
    clearInterval(heartbeat);
    await deleteInstance(ctx.db, instance.id);
  };
}

/** Lists all registered instances, and whether their leases are valid. */
async function listInstances(ctx: LeaseCtx): Promise<(Instance & { readonly isLeased: boolean })[]> {
  const rows = await ctx.db
    .selectFrom("server_instances")
    .selectAll()
    .select(sql<number>`lease_until > ${leaseTime(ctx)}`.as("is_leased"))
    .execute();
  return rows.map((row) => ({
    id: row.id,
    host: row.host,
    pid: row.pid,
    processStarted: row.process_started,
    isLeased: row.is_leased === 1,
  }));
}

/**
 * Returns the IDs of live instances. For processes of this host the kernel decides: a killed server counts as stopped immediately, a suspended one does
 * not. For all others, the lease decides.
 */
export async function listLiveInstances(ctx: LeaseCtx): Promise<Set<string>> {
  const thisScope = pidScope();
  const live = (await listInstances(ctx)).filter((instance) => {
    if (instance.host !== thisScope || instance.processStarted === null) return instance.isLeased;
    return readProcessStart(instance.pid) === instance.processStarted;
  });
  return new Set(live.map((instance) => instance.id));
}

/**
 * Reclaims the leases of stopped instances: on this host as soon as the kernel reports their end, elsewhere once their lease has expired. Resolves to
 * whether there were any.
 */
export async function reclaimLeasesIfDead(ctx: JobCtx): Promise<boolean> {
  const [known, live] = [await listInstances(ctx), await listLiveInstances(ctx)];
  if (known.every(({ id }) => live.has(id))) return false;
  await reclaimLeases(ctx);
  return true;
}

/** Makes the jobs of stopped instances runnable again, and deletes those instances. */
export async function reclaimLeases(ctx: JobCtx): Promise<void> {
  // Uses one transaction, because an instance that registers and leases a job meanwhile must not count as stopped.
  await ctx.transaction(async (ctx) => {
    const live = [...(await listLiveInstances(ctx))];
    await reclaimJobs(ctx.db, live);
    await deleteOtherInstances(ctx.db, live);
  });
}

async function deleteInstance(db: Db, id: string): Promise<void> {
  await db.deleteFrom("server_instances").where("id", "=", id).execute();
}

async function deleteOtherInstances(db: Db, ids: readonly string[]): Promise<void> {
  await db
    .deleteFrom("server_instances")
    .$if(ids.length > 0, (query) => query.where("id", "not in", ids))
    .execute();
}

/** Returns the scope within which a pid is unique: the host, and among containers with the same host name, the container. */
function pidScope(): string {
  try {
    return `${hostname()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

/** Returns the kernel's start time of a process in ticks since boot; undefined if there is no such process. */
function readProcessStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
