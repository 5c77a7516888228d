import { AppError } from "../../errors.ts";
import { DAY_MS } from "../../lib/text/duration.ts";
import type { Output, RequestInput } from "../../service/contract.ts";
import type { GrowingShipment } from "../records/shipment-records.ts";
import { createRequestRetry, withoutRetry } from "../server/retry.ts";
import type { Destination } from "./destination.ts";
import type { UpContext } from "./up-options.ts";

/** The lifetime of a `shareToken`, which adds files for 24 hours. */
const TOKEN_MS = DAY_MS;

/**
 * Makes the destination of a shipment: a new one with the settings of `fields`, or an existing one. Finding one rejects with CONFLICT for the share
 * of one file.
 */
export function shareDestination(fields: RequestInput<"createShare">, context: UpContext): Destination {
  const { api, hasKey, shares, url, signal, events } = context;
  const retry = createRequestRetry(signal, events.onWait);
  return {
    open: (idempotencyKey) => retry(({ signal }) => api.call("createShare", fields, { idempotencyKey, signal })),
    async find(shipment, createdAt) {
      if (createdAt !== undefined && !hasKey && Date.parse(createdAt) + TOKEN_MS < Date.now()) return undefined;
      const share = await getShipment(shipment, context);
      return share && { files: share.files, listIds: () => listIds(shipment, share, context) };
    },
    async remove({ shortId, deletionToken }, fileId) {
      const token = hasKey ? undefined : (deletionToken ?? (await shares.find(shortId, url))?.deletionToken);
      await retry(({ signal }) => api.call("deleteFile", { fileId, ...(token !== undefined && { token }) }, { signal }));
    },
    joining: ({ shortId, shareToken }) => ({ shareShortId: shortId, ...(shareToken !== undefined && !hasKey && { shareToken }) }),
  };
}

async function getShipment({ shortId }: GrowingShipment, { api, signal, events }: UpContext): Promise<Output<"getShare"> | undefined> {
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

async function listIds(
  { shortId, unlockCode, handoffUrl }: GrowingShipment,
  share: Output<"getShare">,
  { api, signal, events }: UpContext,
): Promise<ReadonlySet<string> | undefined> {
  if (share.downloadsLimited) return undefined;
  let { files } = share;
  // A share with a password has no code; its private link opens it too.
  const handoffToken = handoffUrl === undefined ? undefined : new URL(handoffUrl).pathname.split("/").at(-1);
  const opener = unlockCode === undefined ? handoffToken && { handoffToken } : { shortId, unlockCode };
  if (!files && opener)
    try {
      const retry = createRequestRetry(signal, events.onWait);
      const { unlockToken } = await retry(({ signal }) => api.call("unlockDownload", opener, { signal }));
      files = (await retry(({ signal }) => api.call("getShare", { shortId, unlockToken }, { signal }))).files;
    } catch (thrown) {
      signal.throwIfAborted();
      // The code of the share was changed meanwhile.
      if (!(withoutRetry(thrown) instanceof AppError)) throw thrown;
    }
  return files ? new Set(files.map(({ id }) => id)) : undefined;
}
