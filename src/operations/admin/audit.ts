import type { Ctx } from "../../context.ts";
import { type Findings, findMissing, findOrphans } from "../../jobs/cleanup/orphans.ts";

/** Holds the rows against the store, both ways, and changes nothing. Fine while a server runs. */
export async function audit(ctx: Ctx): Promise<Findings> {
  const missing: Findings["missing"][number][] = [];
  const orphans: Findings["orphans"][number][] = [];
  for await (const finding of findMissing(ctx)) missing.push(finding);
  for await (const { key, where } of findOrphans(ctx)) orphans.push({ key, where });
  return { missing, orphans };
}
