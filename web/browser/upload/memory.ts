/** What an upload remembers about its large files, so that it can continue after the page was closed. */
export interface FileMemory {
  /** `Idempotency-Key` of a request for a session whose response has not arrived. */
  readonly initKey?: string;
  /** Bytes of a part that this request asks for. */
  readonly partSize?: number;
  readonly uploadId?: string;
}

export interface UploadMemory {
  find(path: string): Promise<FileMemory | undefined>;
  save(path: string, memory: FileMemory): Promise<void>;
  /** The files were sent. */
  forget(paths: readonly string[]): Promise<void>;
}
