import type { Ctx } from "../../context.ts";
import { runInBatches } from "../../lib/concurrency/batches.ts";
import { deleteSomeDeliveries } from "./delivery-queries.ts";
import { deleteEndpoint, listEndpoints } from "./queries.ts";

const BATCH_SIZE = 500;

/** Deletes the endpoints of an account with their deliveries, in batches: an endpoint may have many. */
export async function deleteEndpointsOf(ctx: Pick<Ctx, "db">, ownerId: string): Promise<void> {
  for (const { id } of await listEndpoints(ctx.db, ownerId)) {
    await runInBatches(() => deleteSomeDeliveries(ctx.db, { endpointId: id, limit: BATCH_SIZE }));
    await deleteEndpoint(ctx.db, { id, ownerId });
  }
}
