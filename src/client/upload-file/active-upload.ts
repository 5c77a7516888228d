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
  /** Attributes, which are not part of the upload's identity: an upload continues when a program has changed them. */
  readonly attributes?: SentAttributes | undefined;
  /** The caller's key, with which a repetition with other bytes is an error. Default: a key that is remembered until the upload has ended. */
  readonly idempotencyKey?: string | undefined;
}

/** The outcome for a changed file: the upload continues, or begins again under the same link or under a new one. */
export type ChangedOutcome = "continued" | "sameLink" | "newLink";

export interface UploadContext {
  readonly api: RemoteApi;
  readonly records: UploadRecords;
  /** The limit that several simultaneous uploads share. Default: the remembered one. */
  readonly limit?: BodyLimit;
  readonly signal: AbortSignal;
  /** Receives the number of bytes that have arrived. */
  onProgress(sentBytes: number): void;
  /** Receives the share of an upload in parts before its bytes are sent, because its link already works. */
  onShare?(share: BegunUpload): Promise<void>;
  /** Whether the link belongs to this file alone. If it does, the upload does not begin again under another link when the session has ended. */
  readonly hasOwnLink?: boolean;
  /** Runs if the file differs from the file of an earlier run. */
  onChanged?(outcome: ChangedOutcome): void;
  /** Runs after the upload failed permanently, and was removed from the server with its link. */
  onAborted?(share: BegunUpload): Promise<void>;
  /** Runs when the file is stored, before the upload is forgotten. */
  onStored?(uploaded: Output<"uploadFile">): Promise<void>;
  /** Receives the reason of a wait, or an empty text when the wait ends. */
  onWait?(reason: string): void;
}

/** A share whose upload in parts has begun. `uploadId` and `key` are secrets, which continue and abort it. */
export type BegunUpload = Pick<Output<"initMultipart">, "shortId" | "shareUrl" | "fileId" | "expiresAt" | "uploadId" | "key">;

/** An upload whose server was found, and its remembered state. */
export interface ActiveUpload extends FileUpload, UploadContext {
  readonly server: RemoteServer;
  readonly limit: BodyLimit;
  /** The ID of the upload in the records. */
  readonly id: string;
  /** The remembered upload; undefined for one that has not been tried before. */
  readonly remembered: UploadRecord | undefined;
}
