import type { Output } from "../../src/service/contract.ts";
/** A request, as on the pages of its owner. */
export type OwnRequest = Output<"listRequests">["data"][number];

type Submission = Output<"getRequest">["submissions"][number];

export interface ReceivedFile
  extends Pick<
    Submission["files"][number],
    "id" | "shortId" | "name" | "size" | "url" | "shareUrl" | "visibility" | "scanStatus" | "encrypted" | "thumbnailUrl"
  > {
  /** The signed path of the encrypted bytes, if the page decrypts the file. It expires. */
  readonly bytesPath?: string | undefined;
}

export interface ReceivedSubmission extends Pick<Submission, "senderName" | "senderNote" | "createdAt"> {
  readonly files: readonly ReceivedFile[];
}
