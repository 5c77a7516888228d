import type { Ctx } from "../../context.ts";
import { planCleanup } from "../../jobs/cleanup/plan-cleanup.ts";
import { type CleanupReport, runCleanup } from "../../jobs/cleanup/run-cleanup.ts";

/** Everything that a server cleans up by the clock, now, and what lies in the store's folders by names that are not its own; `dryRun` counts it and changes nothing. */
export async function cleanUp(ctx: Ctx, { dryRun }: { readonly dryRun: boolean }): Promise<CleanupReport> {
  return dryRun ? await planCleanup(ctx) : await runCleanup(ctx, { orphans: "all" });
}
