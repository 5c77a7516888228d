import type { Ctx } from "../../context.ts";
import { findServerState } from "../../db/server-state.ts";
import { readUnknownClientAddress, saveUnknownClientAddress } from "../../db/unknown-client-address.ts";

/** Logs a hop of a trusted proxy that is not an address, and stores it for administrators, at most once a day across all servers. */
export async function recordUnknownClientAddress(ctx: Ctx, { peer, hop }: { readonly peer: string; readonly hop: string }): Promise<void> {
  const shown = hop.slice(0, 100);
  const isFirst = await ctx.transaction(async ({ db, now }) => await saveUnknownClientAddress(db, shown, now()));
  if (!isFirst) return;
  ctx.log.warn(
    `The proxy ${peer} names ${JSON.stringify(shown)} as its client, which is no address: all such clients share one rate limit. Configure it to send addresses in X-Forwarded-For`,
  );
}

/** Returns the hop that was recorded in the last days. */
export async function findUnknownClientAddress({ db, now }: Pick<Ctx, "db" | "now">): Promise<string | undefined> {
  return readUnknownClientAddress(await findServerState(db, "unknown_client_address"), now());
}
