import { AppError } from "../../errors.ts";
import type { Output, RequestInput } from "../../service/contract.ts";
import { newRandomId } from "../../transfer/retry.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import { createRequestRetry, withoutRetry } from "../server/retry.ts";
import type { Destination } from "./destination.ts";
import type { FileRequest, UpContext, UpOptions } from "./up-options.ts";

/** Makes the destination of a submission to a request, whose link is the sender's receipt. */
export function submissionDestination(request: FileRequest, { api, signal, events }: UpContext): Destination {
  const retry = createRequestRetry(signal, events.onWait);
  return {
    async open(idempotencyKey) {
      const opened = await open(api, request, (input) =>
        retry(({ signal }) => api.call("openSubmission", input, { idempotencyKey, signal })),
      );
      const { shortId, shareToken, deletionToken, expiresAt, receiptUrl } = opened;
      return { shortId, shareToken, deletionToken, expiresAt, shareUrl: receiptUrl };
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
    joining: (submission) => toJoinFields(request, submission),
  };
}

/** Begins a submission to a request. Resolves to the fields with which files join it, and to its receipt. Rejects with the server's error. */
export async function openSubmission(api: SubmissionApi, request: FileRequest) {
  const opened = await open(api, request, (input) => api.call("openSubmission", input, { idempotencyKey: newRandomId() }));
  return { fields: toJoinFields(request, opened), receiptUrl: opened.receiptUrl };
}

type SubmissionApi = Pick<RemoteApi, "call" | "discoverServer">;

/** Opens a submission by `call`. Resolves to it, with the link of the sender's receipt. */
async function open(
  api: SubmissionApi,
  { token: requestToken, senderName, senderNote, unlockCode }: FileRequest,
  call: (input: RequestInput<"openSubmission">) => Promise<Output<"openSubmission">>,
) {
  const { siteUrl } = await api.discoverServer();
  const opened = await call({ requestToken, senderName, senderNote, unlockCode });
  return { ...opened, receiptUrl: `${siteUrl}/r/${requestToken}/${opened.shortId}/${opened.deletionToken}` };
}

const toJoinFields = (
  { token: requestToken }: FileRequest,
  { shortId, shareToken = "" }: { readonly shortId: string; readonly shareToken?: string | undefined },
) => ({ requestToken, shareShortId: shortId, shareToken });

/** Returns the options with which one file joins a new submission. */
export async function joinRequest(request: FileRequest, options: UpOptions, context: UpContext): Promise<UpOptions> {
  try {
    const { shortId, shareToken, shareUrl } = await submissionDestination(request, context).open(newRandomId());
    return { ...options, fields: { requestToken: request.token }, into: { shortId, shareToken, link: shareUrl } };
  } catch (error) {
    throw withoutRetry(error);
  }
}
