import { AppError } from "../../errors.ts";
import type { RequestInput } from "../../service/contract.ts";
import { createRequestRetry, withoutRetry } from "../retry.ts";
import { createVolatileMemory, openShipmentMemory, type Shipment, type ShipmentMemory } from "./shipment-memory.ts";
import type { UpContext } from "./up.ts";

/** A `shareToken` adds files for 24 hours. */
const TOKEN_MS = 24 * 60 * 60 * 1000;

interface OpenOptions {
  /** Undefined: nothing is remembered. */
  readonly folder: string | undefined;
  /** Of the upload in the memory. */
  readonly id: string;
  readonly into: Pick<Shipment, "shortId" | "shareUrl" | "shareToken"> | undefined;
  readonly fields: RequestInput<"createShare">;
  readonly context: UpContext;
}

interface OpenedShipment {
  readonly memory: ShipmentMemory;
  readonly shipment: Shipment;
  readonly isContinued: boolean;
}

/** Continues the shipment of an earlier run, or opens one. */
export async function openShipment({ folder, id, into, fields, context }: OpenOptions): Promise<OpenedShipment> {
  const { api, signal, events } = context;
  const memory = folder === undefined ? createVolatileMemory() : await openMemory(folder, id, context);
  const known = into === undefined ? memory.state.shipment : { ...into, expiresAt: null };
  if (known && (await isOpen(known.shortId, { ...context, createdAt: into === undefined ? memory.state.createdAt : undefined })))
    return { memory, shipment: known, isContinued: true };
  if (into !== undefined) throw new AppError("NOT_FOUND", `There is no shipment ${into.shortId}, or it has ended. Check the ID.`);
  if (known) {
    events.onNote("The shipment of the earlier run takes no more files. A new one is opened.");
    await memory.reset();
  }
  try {
    const idempotencyKey = memory.state.initKey;
    const shipment = await createRequestRetry(
      signal,
      events.onWait,
    )(({ signal }) => api.call("createShare", fields, { idempotencyKey, signal }));
    await memory.save(shipment);
    return { memory, shipment, isContinued: false };
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

async function isOpen(
  shortId: string,
  { api, hasKey, signal, createdAt, events }: UpContext & { readonly createdAt: string | undefined },
): Promise<boolean> {
  if (createdAt !== undefined && !hasKey && Date.parse(createdAt) + TOKEN_MS < Date.now()) return false;
  try {
    const { kind } = await createRequestRetry(signal, events.onWait)(({ signal }) => api.call("getShare", { shortId }, { signal }));
    if (kind === "shipment") return true;
    throw new AppError("CONFLICT", `${shortId} is the share of one file, and takes no others. Send them as a new share.`);
  } catch (error) {
    const reason = withoutRetry(error);
    if (reason instanceof AppError && reason.code === "NOT_FOUND") return false;
    throw reason;
  }
}
