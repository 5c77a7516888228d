import type { Advice } from "../client-error.ts";
import type { Environment } from "../records/private-files.ts";
import type { ShareRecords } from "../records/share-records.ts";
import type { RemoteApi } from "../server/remote-api.ts";
import type { UnreadablePath } from "./collect.ts";
import type { SourceTransform } from "./source-transform.ts";

export interface UpOptions {
  /** Files and folders, or `stdin` alone. */
  readonly sources: readonly string[] | { readonly stdin: AsyncIterable<Uint8Array> };
  /** The name of the file in the share, in place of its name on disk. */
  readonly name: string | undefined;
  /** Publish fields. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The shipment that gets the files. `link` is printed in place of the share's link. */
  readonly into: { readonly shortId: string; readonly shareToken: string | undefined; readonly link?: string } | undefined;
  /** The request that gets the files, in place of a share. It is sent without a key. */
  readonly request?: FileRequest | undefined;
  readonly followLinks: boolean;
  /** Whether modification times and executable bits are sent. Those of encrypted files are only inside the encryption. */
  readonly keepsTimes: boolean;
  /** Whether to continue an earlier upload, and to remember this one. */
  readonly resumes: boolean;
  /** Whether to save standard input before it is sent. */
  readonly spools: boolean;
  readonly transform?: SourceTransform | undefined;
}

/** Whether everybody with the link sees modification times and executable bits; never for encrypted files. */
export const showsTimes = ({ keepsTimes, transform }: Pick<UpOptions, "keepsTimes" | "transform">): boolean =>
  keepsTimes && transform === undefined;

/** The request of an account, and the sender of the files. */
export interface FileRequest {
  /** The token of the request, a secret. */
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
  /** Reports the link, once, as soon as it works. */
  onLink(link: { readonly shortId: string; readonly url: string }): Promise<void>;
  /** Receives a note about an effect that the user may not expect. */
  onNote(text: string, advice?: Advice): void;
  onFailed(problem: UnreadablePath): void;
  onStart(total: { readonly files: number; readonly bytes: number }): void;
  onProgress(sent: { readonly files: number; readonly bytes: number }): void;
  /** Receives the reason of a wait, or an empty text when the wait ends. */
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
