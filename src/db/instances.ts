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

/** Every process that has given a sign of life and has neither ended well nor been found dead, with the end of its lease. */
export async function listInstances(db: Db): Promise<(Instance & { readonly leaseUntilMs: number })[]> {
  const rows = await db.selectFrom("instances").selectAll().execute();
  return rows.map((row) => ({
    id: row.id,
    host: row.host,
    pid: row.pid,
    processStarted: row.process_started,
    leaseUntilMs: row.lease_until,
  }));
}

export async function removeInstance(db: Db, id: string): Promise<void> {
  await db.deleteFrom("instances").where("id", "=", id).execute();
}

/** Forgets all processes but these. */
export async function removeOtherInstances(db: Db, ids: readonly string[]): Promise<void> {
  await db
    .deleteFrom("instances")
    .$if(ids.length > 0, (query) => query.where("id", "not in", ids))
    .execute();
}
