import type { SealedState } from "./part-source.ts";

/** The state of an upload's large files, with which it continues after the page was closed. */
export interface ResumeRecord {
  /** `Idempotency-Key` of a request for a session whose response has not arrived. */
  readonly initKey?: string;
  /** The part size that this request asks for, in bytes. */
  readonly partSize?: number;
  readonly uploadId?: string | undefined;
  /** The state of the encryption; undefined for files that are sent as they are. */
  readonly sealed?: SealedState | undefined;
}

/** The content of a file: the SHA-256 of each of its parts, all of which except the last have `partBytes`. */
export interface Content {
  readonly partBytes: number;
  readonly digests: readonly string[];
}

/** A sent file; `content` is undefined if it is not known. */
interface StoredFile {
  readonly path: string;
  readonly content?: Content | undefined;
}

export interface ResumeRecords {
  find(path: string): Promise<ResumeRecord | undefined>;
  /** Rejects with a sentence for people if the state of an encryption cannot be saved, and an earlier one stays. */
  save(path: string, memory: ResumeRecord): Promise<void>;
  /** Records that the files were sent. Their content stays remembered. */
  saveContents(files: readonly StoredFile[]): Promise<void>;
  /** Forgets files that are not sent. */
  forget(paths: readonly string[]): Promise<void>;
}
