import { AppError } from "../../errors.ts";
import type { Output, RequestInput } from "../../service/contract.ts";
import { createRequestRetry, withoutRetry } from "../retry.ts";
import { createVolatileMemory, openShipmentMemory, type Shipment, type ShipmentMemory } from "./shipment-memory.ts";
import type { UpContext } from "./up-options.ts";

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
  /** The shipment of an earlier run as the server has it; undefined for a new one. */
  readonly continued: Output<"getShare"> | undefined;
}

/** Continues the shipment of an earlier run, or opens one. */
export async function openShipment({ folder, id, into, fields, context }: OpenOptions): Promise<OpenedShipment> {
  const { api, signal, events } = context;
  const memory = folder === undefined ? createVolatileMemory() : await openMemory(folder, id, context);
  const known = into === undefined ? memory.state.shipment : { ...into, expiresAt: null };
  const continued =
    known && (await findOpen(known.shortId, { ...context, createdAt: into === undefined ? memory.state.createdAt : undefined }));
  if (known && continued) return { memory, shipment: known, continued };
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

/** Undefined if it takes no more files. */
async function findOpen(
  shortId: string,
  { api, hasKey, signal, createdAt, events }: UpContext & { readonly createdAt: string | undefined },
): Promise<Output<"getShare"> | undefined> {
  if (createdAt !== undefined && !hasKey && Date.parse(createdAt) + TOKEN_MS < Date.now()) return undefined;
  try {
    const share = await createRequestRetry(signal, events.onWait)(({ signal }) => api.call("getShare", { shortId }, { signal }));
    if (share.kind === "shipment") return share;
    throw new AppError("CONFLICT", `${shortId} is the share of one file, and takes no others. Send them as a new share.`);
  } catch (error) {
    const reason = withoutRetry(error);
    if (reason instanceof AppError && reason.code === "NOT_FOUND") return undefined;
    throw reason;
  }
}
