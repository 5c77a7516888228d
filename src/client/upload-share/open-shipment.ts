import { AppError } from "../../errors.ts";
import { createVolatileRecords, type GrowingShipment, openShipmentRecords, type ShipmentRecords } from "../records/shipment-records.ts";
import { withoutRetry } from "../server/retry.ts";
import type { Destination, FoundShipment } from "./destination.ts";
import type { UpContext } from "./up-options.ts";

interface OpenOptions {
  /** The folder of the records. If undefined, nothing is recorded. */
  readonly folder: string | undefined;
  /** The ID of the upload in the records. */
  readonly id: string;
  readonly into: Pick<GrowingShipment, "shortId" | "shareUrl" | "shareToken"> | undefined;
  readonly destination: Destination;
  readonly context: UpContext;
}

interface OpenedShipment {
  readonly records: ShipmentRecords;
  readonly shipment: GrowingShipment;
  /** The shipment of an earlier run as the server has it; undefined for a new one. */
  readonly continued: FoundShipment | undefined;
}

/** Continues the shipment of an earlier run, or opens one. */
export async function openShipment({ folder, id, into, destination, context }: OpenOptions): Promise<OpenedShipment> {
  const records = folder === undefined ? createVolatileRecords() : await openMemory(folder, id, context);
  const known = into === undefined ? records.state.shipment : { ...into, expiresAt: null };
  const continued = known && (await destination.find(known, into === undefined ? records.state.createdAt : undefined));
  if (known && continued) return { records, shipment: known, continued };
  if (into !== undefined) throw new AppError("NOT_FOUND", `There is no shipment ${into.shortId}, or it has ended. Check the ID.`);
  if (known) {
    context.events.onNote("The shipment of the earlier run takes no more files. A new one is opened.");
    await records.reset();
  }
  try {
    const shipment = await destination.open(records.state.initKey);
    await records.save(shipment);
    return { records, shipment, continued: undefined };
  } catch (error) {
    throw withoutRetry(error);
  }
}

async function openMemory(folder: string, id: string, { events }: UpContext): Promise<ShipmentRecords> {
  try {
    return await openShipmentRecords(folder, id);
  } catch {
    events.onNote(`The upload cannot be remembered in ${folder}, so it cannot be continued when it is broken off.`);
    return createVolatileRecords();
  }
}
