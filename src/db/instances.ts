import type { Db } from "./database.ts";

/** How long a process counts as alive after its last sign of life. */
export const LEASE_MS = 30_000;

export interface Instance {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** When the kernel started the process, so that a reused pid is told apart; null where the system does not say. */
  readonly processStarted: string | null;
}

/** Says that a process lives, for `LEASE_MS` from `nowMs`. */
export async function renewInstance(db: Db, instance: Instance, nowMs: number): Promise<void> {
  const lease_until = nowMs + LEASE_MS;
  await db
    .insertInto("instances")
    .values({ id: instance.id, host: instance.host, pid: instance.pid, process_started: instance.processStarted, lease_until })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ lease_until }))
    .execute();
}

/** The processes whose lease runs. */
export async function listLeasedInstances(db: Db, nowMs: number): Promise<Instance[]> {
  const rows = await db.selectFrom("instances").selectAll().where("lease_until", ">", nowMs).execute();
  return rows.map((row) => ({ id: row.id, host: row.host, pid: row.pid, processStarted: row.process_started }));
}

export async function removeInstance(db: Db, id: string): Promise<void> {
  await db.deleteFrom("instances").where("id", "=", id).execute();
}

export async function removeLapsedInstances(db: Db, nowMs: number): Promise<void> {
  await db.deleteFrom("instances").where("lease_until", "<=", nowMs).execute();
}
