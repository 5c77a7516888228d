import { AppError } from "../../errors.ts";
import { newRandomId } from "../../transfer/retry.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { createRequestRetry, withoutRetry } from "../server/retry.ts";
import type { Destination } from "./destination.ts";
import type { FileRequest, UpContext, UpOptions } from "./up-options.ts";

/** Makes the destination of a submission to a request, whose link is the sender's receipt. */
export function submissionDestination(
  { token: requestToken, senderName, senderNote, unlockCode }: FileRequest,
  { api, signal, events }: UpContext,
): Destination {
  const retry = createRequestRetry(signal, events.onWait);
  return {
    async open(idempotencyKey) {
      const { siteUrl } = await api.discoverServer();
      const input = { requestToken, senderName, senderNote, unlockCode };
      const submission = await retry(({ signal }) => api.call("openSubmission", input, { idempotencyKey, signal }));
      const { shortId, shareToken, deletionToken, expiresAt } = submission;
      return { shortId, shareToken, deletionToken, expiresAt, shareUrl: `${siteUrl}/r/${requestToken}/${shortId}/${deletionToken}` };
    },
    async find({ shortId, deletionToken = "" }) {
      try {
        const { isOpen, files } = await retry(({ signal }) => api.call("getSubmission", { shortId, deletionToken }, { signal }));
        return isOpen ? { files, listIds: async () => new Set(files.map(({ id }) => id)) } : undefined;
      } catch (thrown) {
        const error = withoutRetry(thrown);
        if (error instanceof AppError && error.code === "NOT_FOUND") return undefined;
        throw error;
      }
    },
    async remove({ shortId, deletionToken = "" }, fileId) {
      await retry(({ signal }) => api.call("removeSubmitted", { shortId, deletionToken, fileId }, { signal }));
    },
    joining: ({ shortId, shareToken = "" }) => ({ requestToken, shareShortId: shortId, shareToken }),
  };
}

/** Begins a submission to a request. Resolves to the fields with which files join it, and to its receipt. Rejects with the server's error. */
export async function openSubmission(
  api: Pick<RemoteApi, "call" | "discoverServer">,
  { token: requestToken, senderName, senderNote, unlockCode }: FileRequest,
) {
  const { siteUrl } = await api.discoverServer();
  const input = { requestToken, senderName, senderNote, unlockCode };
  const { shortId, shareToken, deletionToken } = await api.call("openSubmission", input, { idempotencyKey: newRandomId() });
  return {
    fields: { requestToken, shareShortId: shortId, shareToken },
    receiptUrl: `${siteUrl}/r/${requestToken}/${shortId}/${deletionToken}`,
  };
}

/** Returns the options with which one file joins a new submission. */
export async function joinRequest(request: FileRequest, options: UpOptions, context: UpContext): Promise<UpOptions> {
  try {
    const { shortId, shareToken, shareUrl } = await submissionDestination(request, context).open(newRandomId());
    return { ...options, fields: { requestToken: request.token }, into: { shortId, shareToken, link: shareUrl } };
  } catch (error) {
    throw withoutRetry(error);
  }
}
