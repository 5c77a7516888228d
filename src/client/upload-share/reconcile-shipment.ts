import { AppError } from "../../errors.ts";
import type { GrowingShipment, ShipmentRecords } from "../records/shipment-records.ts";
import { createRequestRetry, withoutRetry } from "../server/retry.ts";
import type { LocalEntry } from "./collect.ts";
import type { Destination, FoundShipment } from "./destination.ts";
import type { UpContext } from "./up-options.ts";

interface Reconciled {
  readonly records: ShipmentRecords;
  readonly shipment: GrowingShipment;
  readonly destination: Destination;
  /** The shipment as the server has it. */
  readonly found: FoundShipment;
  readonly files: readonly LocalEntry[];
  /** Whether `files` is complete, with no unreadable file. */
  readonly isComplete: boolean;
}

/**
 * Compares the files of earlier runs with the shipment and with this machine. Forgets files that the server deleted, so that they are sent again;
 * removes files from the shipment that are no longer on this machine; aborts uploads of files that have changed or are missing.
 */
export async function reconcileShipment(
  { records, shipment, destination, found, files, isComplete }: Reconciled,
  context: UpContext,
): Promise<void> {
  await abortUnfinished(records, { files, isComplete }, context);
  if (records.sent.size === 0) return;
  const stored = await found.listIds();
  if (stored) await records.removeSent([...records.sent.values()].filter(({ id }) => !stored.has(id)).map(({ path }) => path));
  const paths = new Set(files.map(({ path }) => path));
  const gone = [...records.sent.values()].filter(({ path }) => !paths.has(path));
  if (gone.length === 0) return;
  const { onNote } = context.events;
  if (!isComplete)
    return onNote(describe(gone, ["was sent before, is not found now, and stays in", "were sent before, are not found now, and stay in"]));
  const kept = new Set((await removeFiles(gone, { shipment, destination }, context)).map(({ path }) => path));
  const removed = gone.filter(({ path }) => !kept.has(path));
  await records.removeSent(removed.map(({ path }) => path));
  if (removed.length > 0)
    onNote(describe(removed, ["is no longer here, and was removed from", "are no longer here, and were removed from"]));
}

/** Aborts uploads that this run does not continue. The share would otherwise show files that never arrive. */
async function abortUnfinished(
  { unfinished }: ShipmentRecords,
  { files, isComplete }: Pick<Reconciled, "files" | "isComplete">,
  { api, signal, events }: UpContext,
): Promise<void> {
  const versions = new Map(files.map(({ path, version }) => [path, version]));
  const retry = createRequestRetry(signal, events.onWait);
  for (const { path, version, uploadId, key } of unfinished) {
    const found = versions.get(path);
    if (found === undefined ? !isComplete : found.startsWith(`${version}:`)) continue;
    try {
      await retry(({ signal }) => api.call("abortMultipart", { uploadId, key }, { signal }));
    } catch (thrown) {
      signal.throwIfAborted();
      // The upload has already ended, or will expire.
      if (!(withoutRetry(thrown) instanceof AppError)) throw thrown;
    }
  }
}

interface SharedFile {
  readonly path: string;
  readonly id: string;
}

/** Deletes files of a shipment. Reports the files that the server keeps, and resolves to them. */
export async function removeFiles(
  files: readonly SharedFile[],
  { shipment, destination }: Pick<Reconciled, "shipment" | "destination">,
  { signal, events }: UpContext,
): Promise<readonly SharedFile[]> {
  const kept: SharedFile[] = [];
  for (const file of files)
    try {
      await destination.remove(shipment, file.id);
    } catch (thrown) {
      signal.throwIfAborted();
      const error = withoutRetry(thrown);
      if (!(error instanceof AppError)) throw error;
      if (error.code !== "NOT_FOUND") kept.push(file);
    }
  if (kept.length > 0) events.onNote(describe(kept, ["that should be removed is still in", "that should be removed are still in"]));
  return kept;
}

const SHOWN = 3;

function describe(files: readonly SharedFile[], [one, many]: readonly [one: string, many: string]): string {
  const shown =
    files
      .slice(0, SHOWN)
      .map(({ path }) => path)
      .join(", ") + (files.length > SHOWN ? ", …" : "");
  const count = files.length === 1 ? `1 file ${one}` : `${files.length} files ${many}`;
  return `${count} the share: ${shown}.`;
}
