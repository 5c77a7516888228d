import type { TransactionCtx } from "../../context.ts";

/** Marks a received file as arrived. Resolves to false if it was marked before, so that another scan does not count as an arrival. */
export async function markArrived({ db, now }: TransactionCtx, id: string): Promise<boolean> {
  const marked = await db
    .updateTable("files")
    .set({ arrived_at: now() })
    .where("id", "=", id)
    .where("arrived_at", "is", null)
    .executeTakeFirst();
  return marked.numUpdatedRows === 1n;
}
