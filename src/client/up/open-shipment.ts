import { AppError } from "../../errors.ts";
import { withoutRetry } from "../server/retry.ts";
import type { Destination, FoundShipment } from "./destination.ts";
import { createVolatileMemory, type GrowingShipment, openShipmentMemory, type ShipmentMemory } from "./shipment-memory.ts";
import type { UpContext } from "./up-options.ts";

interface OpenOptions {
  /** Undefined: nothing is remembered. */
  readonly folder: string | undefined;
  /** ID of the upload in the memory. */
  readonly id: string;
  readonly into: Pick<GrowingShipment, "shortId" | "shareUrl" | "shareToken"> | undefined;
  readonly destination: Destination;
  readonly context: UpContext;
}

interface OpenedShipment {
  readonly memory: ShipmentMemory;
  readonly shipment: GrowingShipment;
  /** The shipment of an earlier run as the server has it; undefined for a new one. */
  readonly continued: FoundShipment | undefined;
}

/** Continues the shipment of an earlier run, or opens one. */
export async function openShipment({ folder, id, into, destination, context }: OpenOptions): Promise<OpenedShipment> {
  const memory = folder === undefined ? createVolatileMemory() : await openMemory(folder, id, context);
  const known = into === undefined ? memory.state.shipment : { ...into, expiresAt: null };
  const continued = known && (await destination.find(known, into === undefined ? memory.state.createdAt : undefined));
  if (known && continued) return { memory, shipment: known, continued };
  if (into !== undefined) throw new AppError("NOT_FOUND", `There is no shipment ${into.shortId}, or it has ended. Check the ID.`);
  if (known) {
    context.events.onNote("The shipment of the earlier run takes no more files. A new one is opened.");
    await memory.reset();
  }
  try {
    const shipment = await destination.open(memory.state.initKey);
    await memory.save(shipment);
    return { memory, shipment, continued: undefined };
  } catch (error) {
    throw withoutRetry(error);
  }
}

async function openMemory(folder: string, id: string, { events }: UpContext): Promise<ShipmentMemory> {
  try {
    return await openShipmentMemory(folder, id);
  } catch {
    events.onNote(`The upload cannot be remembered in ${folder}, so it cannot be continued when it is broken off.`);
    return createVolatileMemory();
  }
}
