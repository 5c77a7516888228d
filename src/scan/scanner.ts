/** The result of a scan. */
export type Verdict =
  | { readonly kind: "clean"; readonly coverage: "whole" | "windowed" }
  | { readonly kind: "infected"; readonly signature: string; readonly coverage: "whole" | "windowed" }
  /** The scanner cannot scan these bytes, because of an error or a refused size. */
  | { readonly kind: "failed"; readonly reason: string }
  /** The scanner cannot be reached, or does not find the test pattern. The caller tries again later. */
  | { readonly kind: "unreachable"; readonly reason: string };

export interface ScannerState {
  readonly ok: boolean;
  readonly reason?: string;
  /** The name and version that the scanner reports, such as `ClamAV 1.4.3`. */
  readonly version?: string;
  readonly signatures?: string;
  readonly signaturesAgeSeconds?: number;
  /** Whether the last self-test found the test pattern; undefined before the first. */
  readonly selfTest?: boolean;
}

/** The bytes to scan. */
export interface ScanSource {
  /** All bytes in order. They are read once, and to the end unless an error occurs. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Returns the bytes from `start` to before `end` again. It is rarely used, after a refused size or a broken connection. */
  reopen(start: number, end: number): AsyncIterable<Uint8Array>;
  /** Resolves when the bytes before `end` can be read. Awaited before each window, so that clamd never waits for them. */
  readonly whenReadable?: (end: number) => Promise<void>;
}

/** Scans bytes. Errors are part of the verdict. Calls may be concurrent. */
export interface Scanner {
  /**
   * Reads `source.body` to its end in constant memory, whatever the verdict, so that the caller can hash the same pass. Rejects with the
   * source's error. A body that is not `sizeBytes` long is `failed`.
   */
  scan(source: ScanSource, sizeBytes: number): Promise<Verdict>;
  /** Returns the scanner's version and state. Runs a self-test at first and each hour. The result is cached, so calls are cheap. */
  state(): Promise<ScannerState>;
  /** The number of threads that the scanner last reported; undefined before `state` was called, and if it reports none. */
  readonly maxThreads: number | undefined;
}
