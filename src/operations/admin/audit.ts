import type { Ctx } from "../../context.ts";
import { findOrphans, type Orphan } from "../../jobs/cleanup/orphans.ts";
import { findMissing, type MissingBytes } from "./find-missing.ts";

/** Rows whose bytes are not there, and bytes that no row speaks of. */
export interface Findings {
  readonly missing: readonly MissingBytes[];
  readonly orphans: readonly Pick<Orphan, "key" | "where">[];
}

/** Holds the rows against the store, both ways, and changes nothing. Fine while a server runs. */
export async function audit(ctx: Ctx): Promise<Findings> {
  const missing: MissingBytes[] = [];
  const orphans: Pick<Orphan, "key" | "where">[] = [];
  for await (const finding of findMissing(ctx)) missing.push(finding);
  for await (const { key, where } of findOrphans(ctx)) orphans.push({ key, where });
  return { missing, orphans };
}
