import type { Output } from "../../service/contract.ts";
import type { BodyLimit } from "../../transfer/body-limit.ts";
import type { UploadRecord, UploadRecords } from "../records/upload-records.ts";
import type { RemoteServer } from "../server/discover-server.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import type { LocalFile } from "./local-file.ts";
import type { SentAttributes } from "./sent-attributes.ts";

export interface FileUpload {
  readonly file: LocalFile;
  readonly fileName: string;
  /** Publish fields. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Not a part of its identity: an upload continues when a program has changed them. */
  readonly attributes?: SentAttributes | undefined;
  /** The caller's: then a repetition with other bytes is an error. Default: one that is remembered until the upload has ended. */
  readonly idempotencyKey?: string | undefined;
}

/** The upload of a changed file continues, or begins again under the same link or under a new one. */
export type ChangedOutcome = "continued" | "sameLink" | "newLink";

export interface UploadContext {
  readonly api: RemoteApi;
  readonly records: UploadRecords;
  /** The limit that several simultaneous uploads share. Default: what is remembered. */
  readonly limit?: BodyLimit;
  readonly signal: AbortSignal;
  /** Receives the bytes that have arrived. */
  onProgress(sentBytes: number): void;
  /** The link of a share works before its bytes have arrived: an upload in parts calls this when it knows it, before it sends them. */
  onShare?(share: BegunUpload): Promise<void>;
  /** Whether that link is of this file alone: then the upload does not begin again under another link when the session has ended. */
  readonly hasOwnLink?: boolean;
  /** The file is another one than that of an earlier run. */
  onChanged?(outcome: ChangedOutcome): void;
  /** The upload failed for good, and was removed from the server with its link. */
  onAborted?(share: BegunUpload): Promise<void>;
  /** The file is stored: called before the upload is forgotten. */
  onStored?(uploaded: Output<"uploadFile">): Promise<void>;
  /** Receives the reason of a wait, or an empty text when it ends. */
  onWait?(reason: string): void;
}

/** A share whose upload in parts has begun. `uploadId` and `key` continue and abort it: they are secrets. */
export type BegunUpload = Pick<Output<"initMultipart">, "shortId" | "shareUrl" | "fileId" | "expiresAt" | "uploadId" | "key">;

/** An upload that has found its server, and what was remembered of it. */
export interface ActiveUpload extends FileUpload, UploadContext {
  readonly server: RemoteServer;
  readonly limit: BodyLimit;
  /** ID of the upload in the records. */
  readonly id: string;
  /** Undefined for an upload that has not been tried before. */
  readonly remembered: UploadRecord | undefined;
}
