/** What an upload remembers about its large files, so that it can continue after the page was closed. */
export interface ResumeRecord {
  /** `Idempotency-Key` of a request for a session whose response has not arrived. */
  readonly initKey?: string;
  /** Bytes of a part that this request asks for. */
  readonly partSize?: number;
  readonly uploadId?: string;
}

/** What tells the bytes of a file from those of others: the SHA-256 of each of its parts, of which all but the last have `partBytes`. */
export interface Content {
  readonly partBytes: number;
  readonly digests: readonly string[];
}

/** `content` is undefined if it is not known. */
interface StoredFile {
  readonly path: string;
  readonly content?: Content | undefined;
}

export interface ResumeRecords {
  find(path: string): Promise<ResumeRecord | undefined>;
  save(path: string, memory: ResumeRecord): Promise<void>;
  /** The files were sent: what is remembered of them is their content. */
  saveContents(files: readonly StoredFile[]): Promise<void>;
  /** The files are not sent. */
  forget(paths: readonly string[]): Promise<void>;
}
