import type { Environment } from "../records/private-files.ts";
import type { ShareRecords } from "../records/share-records.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import type { UnreadablePath } from "./collect.ts";
import type { SourceTransform } from "./source-transform.ts";

export interface UpOptions {
  /** Files and folders, or `stdin` alone. */
  readonly sources: readonly string[] | { readonly stdin: AsyncIterable<Uint8Array> };
  /** In place of the file's own name. */
  readonly name: string | undefined;
  /** Publish fields. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The shipment that gets the files. `link`: to print in place of that of the share. */
  readonly into: { readonly shortId: string; readonly shareToken: string | undefined; readonly link?: string } | undefined;
  /** The request that gets the files, in place of a share; sent without a key. */
  readonly request?: FileRequest | undefined;
  readonly followLinks: boolean;
  /** Whether times of change and executable bits are sent; those of encrypted files only inside their encryption. */
  readonly keepsTimes: boolean;
  /** Whether to continue an earlier upload, and to remember this one. */
  readonly resumes: boolean;
  /** Whether to save standard input before it is sent. */
  readonly spools: boolean;
  readonly transform?: SourceTransform | undefined;
}

/** Whether everybody who has the link sees times of change and executable bits: never of encrypted files. */
export const showsTimes = ({ keepsTimes, transform }: Pick<UpOptions, "keepsTimes" | "transform">): boolean =>
  keepsTimes && transform === undefined;

/** The request of an account, and who sends files to it. */
export interface FileRequest {
  /** A secret. */
  readonly token: string;
  readonly senderName?: string | undefined;
  readonly senderNote?: string | undefined;
  readonly unlockCode: string | undefined;
}

export interface UpContext {
  readonly api: RemoteApi;
  readonly hasKey: boolean;
  /** The address by which the server is reached. */
  readonly url: string;
  readonly shares: ShareRecords;
  readonly env: Environment;
  readonly signal: AbortSignal;
  readonly events: UpEvents;
}

export interface UpEvents {
  /** The link works from now on. Called once. */
  onLink(link: { readonly shortId: string; readonly url: string }): Promise<void>;
  /** Something that is not as the user may expect. */
  onNote(note: string): void;
  onFailed(problem: UnreadablePath): void;
  onStart(total: { readonly files: number; readonly bytes: number }): void;
  onProgress(sent: { readonly files: number; readonly bytes: number }): void;
  /** Receives the reason of a wait, or an empty text when it ends. */
  onWait(reason: string): void;
}

export interface UpResult {
  readonly shortId: string;
  readonly url: string;
  readonly files: number;
  readonly sizeBytes: number;
  /** Files that could not be sent. */
  readonly failed: readonly UnreadablePath[];
  /** ISO time; null: never. */
  readonly expiresAt: string | null;
  readonly unlockCode?: string | undefined;
  readonly handoffUrl?: string | undefined;
}
